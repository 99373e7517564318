package manifest

import "strings"

// nearest is the name that is meant by a mis-spelled one, or "" where none is clearly nearest: the same letters in another
// case, or one name alone within a third of its length, two edits at most.
func nearest(word string, names []string) string {
	const longest = 64
	if len(word) > longest {
		return ""
	}
	for _, n := range names {
		if strings.EqualFold(n, word) && n != word {
			return n
		}
	}
	best, second, found := 3, 3, ""
	lower := strings.ToLower(word)
	for _, n := range names {
		switch e := edits(lower, strings.ToLower(n), best); {
		case e < best:
			second, best, found = best, e, n
		case e < second:
			second = e
		}
	}
	if found == "" || best == second || best > len(found)/3 {
		return ""
	}
	return found
}

// edits is the number of insertions, deletions, replacements and swaps of neighbours between two words, or a number above
// most where it is larger.
func edits(a, b string, most int) int {
	if len(a)-len(b) > most || len(b)-len(a) > most {
		return most + 1
	}
	before := make([]int, len(b)+1)
	prev := make([]int, len(b)+1)
	cur := make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], before[j-2]+1)
			}
		}
		before, prev, cur = prev, cur, before
	}
	return prev[len(b)]
}
