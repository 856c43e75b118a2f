package jobs

import (
	"iter"

	"github.com/tarry-mr/tarry/mapreduce"
)

// SortOptions change how Sort sorts. The zero value sorts upward and keeps equal lines.
type SortOptions struct {
	// Reverse sorts downward.
	Reverse bool
	// Unique writes equal lines once.
	Unique bool
}

// Line is a line as Sort writes it.
type Line = mapreduce.Pair[[]byte, mapreduce.None]

// Sort sorts lines by their bytes, as `LC_ALL=C sort` does: the parts one after the other are
// sorted as a whole. Its input is Lines.
func Sort(o SortOptions) mapreduce.Job[[]byte, []byte, mapreduce.None, Line] {
	job := mapreduce.Job[[]byte, []byte, mapreduce.None, Line]{
		Name: "sort",
		Map: func(line []byte, emit func([]byte, mapreduce.None)) error {
			emit(line, mapreduce.None{})
			return nil
		},
		TotalOrder: true,
		Descending: o.Reverse,
	}
	if o.Unique {
		job.Reduce = func(line []byte, _ iter.Seq[mapreduce.None], emit func(Line)) error {
			emit(Line{First: line})
			return nil
		}
	}
	return job
}

// The layout of a TeraSort record, in bytes.
const (
	TeraRecordBytes = 100
	TeraKeyBytes    = 10
)

// TeraSort sorts records of 100 bytes by their first 10; records with equal keys stay in the order
// of the input. Its input is FixedSize(TeraRecordBytes), its output Raw.
func TeraSort() mapreduce.Job[[]byte, []byte, []byte, mapreduce.Pair[[]byte, []byte]] {
	return mapreduce.Job[[]byte, []byte, []byte, mapreduce.Pair[[]byte, []byte]]{
		Name: "terasort",
		Map: func(record []byte, emit func([]byte, []byte)) error {
			emit(record[:TeraKeyBytes], record[TeraKeyBytes:])
			return nil
		},
		TotalOrder: true,
	}
}
