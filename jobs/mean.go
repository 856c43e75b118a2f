package jobs

import (
	"iter"
	"math/big"
	"math/bits"

	"github.com/tarry-mr/tarry/mapreduce"
)

// Sum is an exact sum of decimal numbers with their count; unlike means, sums can be combined. The
// sum, in units of 10 to the -18th, is High times 2 to the 128th, plus Mid times 2 to the 64th,
// plus Low. It cannot overflow: a number has at most 123 bits, a count 63.
type Sum struct {
	High     int64
	Mid, Low uint64
	Count    int64
}

func (s Sum) plus(o Sum) Sum {
	low, carry := bits.Add64(s.Low, o.Low, 0)
	mid, carry := bits.Add64(s.Mid, o.Mid, carry)
	return Sum{High: s.High + o.High + int64(carry), Mid: mid, Low: low, Count: s.Count + o.Count}
}

// negative returns the sum of the negated numbers.
func (s Sum) negative() Sum {
	low, borrow := bits.Sub64(0, s.Low, 0)
	mid, borrow := bits.Sub64(0, s.Mid, borrow)
	return Sum{High: -s.High - int64(borrow), Mid: mid, Low: low, Count: s.Count}
}

// mean returns the sum divided by the count, rounded once to a float64.
func (s Sum) mean() float64 {
	count := new(big.Int).Mul(big.NewInt(s.Count), big.NewInt(numberUnits))
	mean, _ := new(big.Rat).SetFrac(s.units(), count).Float64()
	return mean
}

// Mean writes the mean of each key's numbers. Its input is KeyValueLines, or columns that a [Table]
// selects. A number has an optional sign, at most 64 bits before the point, and at most 18
// decimals, not counting trailing zeros; other values are errors. Its output is the key and the
// float64 nearest to the mean: the sum is exact, in any order, and rounded once.
func Mean() mapreduce.Job[mapreduce.Pair[[]byte, []byte], []byte, Sum, mapreduce.Pair[[]byte, float64]] {
	return mapreduce.Job[mapreduce.Pair[[]byte, []byte], []byte, Sum, mapreduce.Pair[[]byte, float64]]{
		Name: "mean",
		Map: func(line mapreduce.Pair[[]byte, []byte], emit func([]byte, Sum)) error {
			n, err := decimal(line.First, withoutCR(line.Second))
			if err == nil {
				emit(line.First, n)
			}
			return err
		},
		Combine: Sum.plus,
		Reduce: single(func(key []byte, s Sum) mapreduce.Pair[[]byte, float64] {
			return mapreduce.MakePair(key, s.mean())
		}),
	}
}

// single returns the Reduce of a job whose Combine or Sum leaves one value of each key: it writes
// what record returns for the key and that value.
func single[K, V, O any](record func(key K, value V) O) func(K, iter.Seq[V], func(O)) error {
	return func(key K, values iter.Seq[V], emit func(O)) error {
		for v := range values {
			emit(record(key, v))
		}
		return nil
	}
}
