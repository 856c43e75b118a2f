package mapreduce

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"math/bits"
	"slices"
)

// QuantilePerKey returns a job that finds a quantile of the values per key: the smallest value such
// that at least a fraction q of the values do not exceed it. 0.5 is the lower median, 0.95 the 95th
// percentile, 0 the minimum and 1 the maximum. SQL calls it quantile_disc. It is exact: a reduce
// holds the values of one key at a time in memory, in addition to the memory budget. A q outside of
// 0 to 1 is an error of the first attempt. NaN is less than any number.
func QuantilePerKey[T, K any, V cmp.Ordered](q float64, key func(rec T) K, value func(rec T) V) Job[T, K, V, Pair[K, V]] {
	return Job[T, K, V, Pair[K, V]]{
		Name: "quantile",
		MapTask: func(*Task) (Mapper[T, K, V], error) {
			if !(q >= 0 && q <= 1) {
				return Mapper[T, K, V]{}, Permanent(fmt.Errorf("mapreduce.QuantilePerKey: a quantile of %v: want 0 to 1", q))
			}
			return Mapper[T, K, V]{Map: func(rec T, emit func(K, V)) error {
				emit(key(rec), value(rec))
				return nil
			}}, nil
		},
		ReduceTask: func(*Task) (Reducer[K, V, Pair[K, V]], error) {
			var list []V
			return Reducer[K, V, Pair[K, V]]{Reduce: func(k K, values iter.Seq[V], emit func(Pair[K, V])) error {
				list = slices.AppendSeq(list[:0], values)
				emit(MakePair(k, nth(list, rank(q, len(list)))))
				return nil
			}}, nil
		},
	}
}

// rank returns the index, in a sorted list of n, of the q-quantile.
func rank(q float64, n int) int {
	return min(max(int(math.Ceil(q*float64(n)))-1, 0), n-1)
}

// nth returns the element that sorting would put at index k; it reorders list. It uses Hoare's
// selection; after too many bad pivots it sorts.
func nth[V cmp.Ordered](list []V, k int) V {
	const short = 16
	for looks := 2 * bits.Len(uint(len(list))); len(list) > short && looks > 0; looks-- {
		n := len(list)
		three := []V{list[n/4], list[n/2], list[n-1-n/4]}
		slices.Sort(three)
		pivot, i, j := three[1], 0, n-1
		for i <= j {
			for cmp.Less(list[i], pivot) {
				i++
			}
			for cmp.Less(pivot, list[j]) {
				j--
			}
			if i <= j {
				list[i], list[j] = list[j], list[i]
				i, j = i+1, j-1
			}
		}
		switch { // list[:j+1] <= pivot <= list[i:]
		case k <= j:
			list = list[:j+1]
		case k >= i:
			list, k = list[i:], k-i
		default:
			return list[k]
		}
	}
	slices.Sort(list)
	return list[k]
}
