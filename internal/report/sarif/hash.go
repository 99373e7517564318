package sarif

import (
	"strconv"
	"unicode/utf16"
)

// What github/codeql-action (src/fingerprints.ts) computes where a result brings no primaryLocationLineHash, and compares
// with one that a result brings: the hash of the next hashed characters from the start of a line on, blanks and tabs left
// out, in UTF-16 units, every line end as one LF, 65535 for the end of the file and 0 behind it; and how many lines of the
// file had the same hash so far.
const (
	hashed    = 100
	hashBase  = 37
	endOfFile = 65535
)

// lineHashes returns the hash of each line of a file, the first at index 0.
func lineHashes(data []byte) []string {
	units, starts := hashInput(string(data))
	top := uint64(1) // hashBase to the power of hashed
	for range hashed {
		top *= hashBase
	}
	var (
		out  = make([]string, 0, len(starts))
		seen = map[uint64]int{}
		sum  uint64
	)
	unit := func(i int) uint64 {
		if i < len(units) {
			return uint64(units[i])
		}
		return 0
	}
	for i := range hashed {
		sum = sum*hashBase + unit(i)
	}
	at := 0 // sum covers the units from here on
	for _, start := range starts {
		for ; at < start; at++ {
			sum = sum*hashBase + unit(at+hashed) - top*unit(at)
		}
		seen[sum]++
		out = append(out, strconv.FormatUint(sum, 16)+":"+strconv.Itoa(seen[sum]))
	}
	return out
}

// hashInput is what is hashed of a text, and where in it each line starts.
func hashInput(s string) (units []uint16, starts []int) {
	starts = []int{0}
	wasCR := false
	for _, u := range utf16.Encode([]rune(s)) {
		switch {
		case u == ' ', u == '\t':
			wasCR = false
			continue
		case u == '\n' && wasCR:
			wasCR = false
			continue
		}
		wasCR = u == '\r'
		if u == '\r' {
			u = '\n'
		}
		units = append(units, u)
		if u == '\n' {
			starts = append(starts, len(units))
		}
	}
	return append(units, endOfFile), starts
}
