package setup

import (
	"math"
)

// assign returns a column for each row, none twice, with the minimum total cost: the Hungarian
// algorithm with potentials, O(rows² × columns). There must be at least as many columns as rows.
func assign(cost [][]int64) []int {
	rows, cols := len(cost), len(cost[0])
	// Rows and columns count from 1; column 0 stands for the row that is being placed.
	u, v := make([]int64, rows+1), make([]int64, cols+1)
	rowOf, before := make([]int, cols+1), make([]int, cols+1)
	for i := 1; i <= rows; i++ {
		rowOf[0] = i
		least, seen := make([]int64, cols+1), make([]bool, cols+1)
		for c := range least {
			least[c] = math.MaxInt64
		}
		at := 0
		for rowOf[at] != 0 { // grow the tree of tight edges by the nearest column until one is free
			seen[at] = true
			r, next, step := rowOf[at], 0, int64(math.MaxInt64)
			for c := 1; c <= cols; c++ {
				if seen[c] {
					continue
				}
				if d := cost[r-1][c-1] - u[r] - v[c]; d < least[c] {
					least[c], before[c] = d, at
				}
				if least[c] < step {
					next, step = c, least[c]
				}
			}
			for c := range seen {
				if seen[c] {
					u[rowOf[c]] += step
					v[c] -= step
				} else if c > 0 {
					least[c] -= step
				}
			}
			at = next
		}
		for at != 0 { // shift the rows along the path
			rowOf[at] = rowOf[before[at]]
			at = before[at]
		}
	}
	where := make([]int, rows)
	for c := 1; c <= cols; c++ {
		if rowOf[c] > 0 {
			where[rowOf[c]-1] = c - 1
		}
	}
	return where
}
