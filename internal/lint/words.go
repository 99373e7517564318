package lint

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/probelint/probelint/internal/model"
)

// The lengths of STYLE.md section 9 in code points.
const (
	TitleLength = 90
	LabelLength = 60
)

// Title formats a title and keeps it within TitleLength by shortening its names; every verb is %s.
func Title(format string, names ...string) string { return fit(TitleLength, fill(format, names)) }

// Text formats a label and keeps it within LabelLength likewise.
func Text(format string, names ...string) string { return fit(LabelLength, fill(format, names)) }

// FirstFit is the first text that is no longer than LabelLength, or else the last, shortened. Wordy first, terse last.
func FirstFit(texts ...string) string { return first(LabelLength, texts) }

// FirstTitle is the same for titles.
func FirstTitle(texts ...string) string { return first(TitleLength, texts) }

func fill(format string, names []string) string {
	args := make([]any, len(names))
	for i, n := range names {
		args[i] = n
	}
	return fmt.Sprintf(format, args...)
}

func first(limit int, texts []string) string {
	for _, t := range texts {
		if utf8.RuneCountInString(t) <= limit {
			return t
		}
	}
	return fit(limit, texts[len(texts)-1])
}

// fit shortens a text to a limit. What stands in backticks is a name: the longest ones lose their ends, as many of them as
// need be and none more than the others, down to a length at which they are still known; then the end of the text goes.
func fit(limit int, s string) string {
	over := utf8.RuneCountInString(s) - limit
	if over <= 0 {
		return s
	}
	parts := strings.Split(s, "`") // odd ones are in backticks
	lens := make([]int, len(parts))
	for i, p := range parts {
		lens[i] = utf8.RuneCountInString(p)
	}
	for _, least := range []int{limit / 4, limit / 6} {
		room := 0
		for i := 1; i+1 < len(parts); i += 2 {
			room += max(0, lens[i]-least)
		}
		if least < limit/4 && room < over {
			break // not enough: the end of the text goes, and the names stay
		}
		for over > 0 {
			longest := -1
			for i := 1; i+1 < len(parts); i += 2 {
				if lens[i] > least && (longest < 0 || lens[i] > lens[longest]) {
					longest = i
				}
			}
			if longest < 0 {
				break
			}
			lens[longest]--
			over--
		}
	}
	for i := 1; i+1 < len(parts); i += 2 {
		parts[i] = clip(parts[i], lens[i])
	}
	return clip(strings.Join(parts, "`"), limit)
}

// clip cuts to n code points and marks the cut; a name in backticks that is cut is closed.
func clip(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	open := func(r []rune) bool { return strings.Count(string(r), "`")%2 == 1 }
	cut := func(n int) string { return strings.TrimRight(string(r[:n]), " ") + "…" }
	switch {
	case !open(r[:n-1]) || open(r):
		return cut(n - 1)
	case open(r[:n-2]):
		return cut(n-2) + "`"
	}
	return cut(n - 2)
}

// Again is a name as a sentence mentions it for the second time: "an HTTP service" is "the HTTP service" by then.
func Again(name string) string {
	for _, article := range []string{"a ", "an "} {
		if rest, ok := strings.CutPrefix(name, article); ok {
			return "the " + rest
		}
	}
	return name
}

// Middle keeps a text within n code points by leaving out its middle: what a command line ends with says as much as its
// beginning.
func Middle(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	tail := (n - 1) / 2
	return string(r[:n-1-tail]) + "…" + string(r[len(r)-tail:])
}

// Quote puts a name in backticks.
func Quote(s string) string { return "`" + s + "`" }

// Named is a workload's name in backticks, or its kind where it has none.
func Named(w *model.Workload) string {
	if w.Name == "" {
		return "an unnamed " + w.Kind
	}
	return Quote(w.Name)
}

// And joins names as in a sentence: "a", "a and b", "a, b and c".
func And(names []string) string { return joinLast(names, " and ") }

// Or joins names likewise with "or".
func Or(names []string) string { return joinLast(names, " or ") }

func joinLast(names []string, last string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + last + names[len(names)-1]
}

// Count is a number with its noun: "1 call", "3 calls".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// ShortCall is how a call is named in text: "(*database/sql.DB).PingContext" is `DB.PingContext`, "net/http.Get" is
// `http.Get`. The major version and a leading "go-" of an import path are no part of a package's name.
func ShortCall(symbol string) string {
	s := strings.TrimSpace(symbol)
	if strings.HasPrefix(s, "(") {
		if end := strings.Index(s, ")"); end > 0 {
			recv, method := strings.TrimLeft(s[1:end], "*"), s[end+1:]
			return recv[lastAfter(recv, "./"):] + method
		}
	}
	slash := strings.LastIndex(s, "/")
	if slash < 0 {
		return s
	}
	pkg, rest, ok := strings.Cut(s[slash+1:], ".")
	if !ok {
		return s[slash+1:]
	}
	if isVersion(pkg) {
		before := s[:slash]
		pkg = before[strings.LastIndex(before, "/")+1:]
	}
	return strings.TrimPrefix(pkg, "go-") + "." + rest
}

func lastAfter(s, chars string) int { return strings.LastIndexAny(s, chars) + 1 }

func isVersion(s string) bool {
	if len(s) < 2 || s[0] != 'v' {
		return false
	}
	return strings.Trim(s[1:], "0123456789") == ""
}
