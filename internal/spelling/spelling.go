// Package spelling finds the known name that a misspelt one probably means.
package spelling

// Closest returns the name that word probably means, or "". Names of up to three letters must be
// equal to it; from four letters on one letter may differ, and from six on two.
func Closest(word string, names []string) string {
	best, least := "", 3
	for _, name := range names {
		allowed := 0
		switch short := min(len(word), len(name)); {
		case max(len(word), len(name)) > 40:
			continue
		case short >= 6:
			allowed = 2
		case short >= 4:
			allowed = 1
		}
		if d := distance(word, name); d <= allowed && d < least {
			best, least = name, d
		}
	}
	return best
}

// distance returns how many letters must be inserted, deleted, replaced or swapped with a neighbor
// to turn a into b.
func distance(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
		for j := 1; j <= len(b); j++ {
			if i == 0 {
				rows[i][j] = j
				continue
			}
			change := rows[i-1][j-1]
			if a[i-1] != b[j-1] {
				change++
			}
			rows[i][j] = min(change, rows[i-1][j]+1, rows[i][j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
