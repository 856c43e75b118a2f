package jobs

import (
	"iter"
	"math/big"
	"math/bits"

	"github.com/tarry-mr/tarry/mapreduce"
)

// Sum is the sum of some integers and how many they are: unlike means, sums can be combined. It is
// exact whatever the integers: their sum is High times 2 to the 64th, plus Low.
type Sum struct {
	High  int64
	Low   uint64
	Count int64
}

func sumOf(n int64) Sum { return Sum{High: n >> 63, Low: uint64(n), Count: 1} }

func (s Sum) plus(o Sum) Sum {
	low, carry := bits.Add64(s.Low, o.Low, 0)
	return Sum{High: s.High + o.High + int64(carry), Low: low, Count: s.Count + o.Count}
}

// mean is the float64 nearest to the mean.
func (s Sum) mean() float64 {
	total := new(big.Int).Lsh(big.NewInt(s.High), 64)
	total.Add(total, new(big.Int).SetUint64(s.Low))
	mean, _ := new(big.Rat).SetFrac(total, big.NewInt(s.Count)).Float64()
	return mean
}

// Mean writes the mean of each key's numbers. Its input is KeyValueLines: the key, and a decimal
// integer as value; other values are errors. Its output is the key and the float64 nearest to the
// mean.
func Mean() mapreduce.Job[mapreduce.Pair[[]byte, []byte], []byte, Sum, mapreduce.Pair[[]byte, float64]] {
	return mapreduce.Job[mapreduce.Pair[[]byte, []byte], []byte, Sum, mapreduce.Pair[[]byte, float64]]{
		Name: "mean",
		Map: func(line mapreduce.Pair[[]byte, []byte], emit func([]byte, Sum)) error {
			n, err := number(line.First, line.Second)
			if err != nil {
				return err
			}
			emit(line.First, sumOf(n))
			return nil
		},
		Combine: Sum.plus,
		Reduce: func(key []byte, sums iter.Seq[Sum], emit func(mapreduce.Pair[[]byte, float64])) error {
			var all Sum
			for s := range sums {
				all = all.plus(s)
			}
			emit(mapreduce.MakePair(key, all.mean()))
			return nil
		},
	}
}
