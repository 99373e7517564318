package lint

// Nearest is the candidate that is most likely meant by a mis-typed name, or "" where none is near: at most a third of its
// letters differ (insertions, deletions, substitutions, swapped neighbours). Of equals the first wins.
func Nearest(name string, candidates []string) string {
	best, bestAt := "", max(1, len(name)/3)+1
	for _, c := range candidates {
		if d := distance(name, c); d < bestAt {
			best, bestAt = c, d
		}
	}
	return best
}

// distance is the optimal string alignment distance in bytes; names of rules, flags and formats are ASCII.
func distance(a, b string) int {
	rows := [3][]int{make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)}
	for j := range rows[1] {
		rows[1][j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, last, row := rows[(i-1)%3], rows[i%3], rows[(i+1)%3]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
	}
	return rows[(len(a)+1)%3][len(b)]
}
