package workload

import (
	"strconv"
	"strings"
)

// repairPaths returns the number of each row's input path, from 1, or 0 for rows without one.
// SWIM's generator labels every second and later access to path k as inputPath(k-1). A label that
// is one above all earlier ones is a new path; any other label means its successor. If labels have
// another form, equal labels mean equal paths.
func repairPaths(rows []TraceRow) []int {
	paths := make([]int, len(rows))
	newest := -1
	for i, r := range rows {
		if r.Path == "" {
			continue
		}
		digits, found := strings.CutPrefix(r.Path, "inputPath")
		label, err := strconv.Atoi(digits)
		if i == 0 || newest < 0 {
			newest = label - 1 // the first label starts the count
		}
		if !found || err != nil || label < 0 || label > newest+1 {
			return literalPaths(rows)
		}
		if label == newest+1 {
			newest++
			paths[i] = label + 1
		} else {
			paths[i] = label + 2
		}
	}
	return numbered(paths)
}

// literalPaths numbers the rows' paths from 1; equal labels mean equal paths.
func literalPaths(rows []TraceRow) []int {
	labels := make([]string, len(rows))
	for i, r := range rows {
		labels[i] = r.Path
	}
	return numbered(labels)
}

// numbered numbers distinct names from 1, in order of first appearance; the zero name gets 0.
func numbered[T comparable](names []T) []int {
	var none T
	number := map[T]int{none: 0}
	list := make([]int, len(names))
	for i, name := range names {
		n, seen := number[name]
		if !seen {
			n = len(number)
			number[name] = n
		}
		list[i] = n
	}
	return list
}
