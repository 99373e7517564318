package policy

import (
	"strconv"
	"strings"
)

func itoa(n int) string { return strconv.Itoa(n) }

// article puts "a" or "an" in front of a noun.
func article(noun string) string {
	if noun != "" && strings.ContainsRune("aeiou", rune(noun[0])) {
		return "an " + noun
	}
	return "a " + noun
}
