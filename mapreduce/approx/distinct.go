package approx

import (
	"fmt"
	"iter"
	"math"

	"github.com/cespare/xxhash/v2"

	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/internal/codec"
)

// The minimum and maximum precision of [CountDistinct].
const (
	LeastPrecision = 4
	MostPrecision  = 18
)

// StandardError returns the relative standard error of the counts of [CountDistinct]: two thirds of
// the counts are within it, 95 % within twice as much. It is 1.04/√2^precision (Flajolet et al.,
// HyperLogLog, 2007): 0.26 for 4, 0.008 for 14, 0.002 for 18.
func StandardError(precision int) float64 { return 1.04 / math.Sqrt(math.Exp2(float64(precision))) }

// CountDistinct returns a job that estimates the number of distinct values per key by HyperLogLog.
// Up to 64 values the count is exact; beyond that see [StandardError]. A key needs up to
// 2^precision bytes plus about a hundred, in maps, shuffle and reduces, regardless of its number of
// values. The counts depend only on the values, not on splits, order or number of tasks.
//
// K and V must be valid as key types of a job. If V is not, or precision is outside of
// LeastPrecision to MostPrecision, the first attempt fails.
func CountDistinct[T, K, V any](precision int, key func(rec T) K, value func(rec T) V,
) mapreduce.Job[T, K, Sketch, mapreduce.Pair[K, int64]] {
	values, err := codec.Key[V](false)
	if precision < LeastPrecision || precision > MostPrecision {
		err = fmt.Errorf("approx.CountDistinct: a precision of %d: want %d to %d", precision, LeastPrecision, MostPrecision)
	}
	return mapreduce.Job[T, K, Sketch, mapreduce.Pair[K, int64]]{
		Name: "count distinct, about",
		MapTask: func(*mapreduce.Task) (mapreduce.Mapper[T, K, Sketch], error) {
			if err != nil {
				return mapreduce.Mapper[T, K, Sketch]{}, mapreduce.Permanent(err)
			}
			put, buf := values.Encoder(), []byte(nil)
			return mapreduce.Mapper[T, K, Sketch]{Map: func(rec T, emit func(K, Sketch)) error {
				buf = put(buf[:0], value(rec))
				emit(key(rec), Sketch{one: xxhash.Sum64(buf), precision: uint8(precision)})
				return nil
			}}, nil
		},
		Combine: merge,
		Reduce: func(k K, sketches iter.Seq[Sketch], emit func(mapreduce.Pair[K, int64])) error {
			for s := range sketches { // Combine leaves one
				emit(mapreduce.MakePair(k, s.Count()))
			}
			return nil
		},
	}
}
