package jobs

import (
	"iter"

	"github.com/tarry-mr/tarry/mapreduce"
)

// Sum is the sum of some integers and how many they are: unlike means, sums can be combined.
type Sum struct {
	Total int64
	Count int64
}

// Mean writes the mean of each key's numbers. Its input is KeyValueLines: the key, and a decimal integer as value; other
// values are errors. Its output is the key and the mean.
func Mean() mapreduce.Job[mapreduce.Pair[[]byte, []byte], []byte, Sum, mapreduce.Pair[[]byte, float64]] {
	return mapreduce.Job[mapreduce.Pair[[]byte, []byte], []byte, Sum, mapreduce.Pair[[]byte, float64]]{
		Name: "mean",
		Map: func(line mapreduce.Pair[[]byte, []byte], emit func([]byte, Sum)) error {
			n, err := number(line.First, line.Second)
			if err != nil {
				return err
			}
			emit(line.First, Sum{Total: n, Count: 1})
			return nil
		},
		Combine: func(a, b Sum) Sum { return Sum{a.Total + b.Total, a.Count + b.Count} },
		Reduce: func(key []byte, sums iter.Seq[Sum], emit func(mapreduce.Pair[[]byte, float64])) error {
			var all Sum
			for s := range sums {
				all = Sum{all.Total + s.Total, all.Count + s.Count}
			}
			emit(mapreduce.MakePair(key, float64(all.Total)/float64(all.Count)))
			return nil
		},
	}
}
