package approx

import (
	"fmt"
	"iter"
	"math"

	"github.com/cespare/xxhash/v2"

	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/internal/codec"
)

// The precisions that [CountDistinct] takes.
const (
	LeastPrecision = 4
	MostPrecision  = 18
)

// StandardError is the standard error of the counts of [CountDistinct], relative to the true ones: two
// thirds of the counts are within it, 95 % within twice as much. It is 1.04/√2^precision (Flajolet et
// al., HyperLogLog, 2007): 0.26 for 4, 0.008 for 14, 0.002 for 18.
func StandardError(precision int) float64 { return 1.04 / math.Sqrt(math.Exp2(float64(precision))) }

// CountDistinct is the job that estimates, for each key, how many different values its records have, as
// HyperLogLog does. Up to 64 values the count is exact; beyond that see [StandardError]. A key takes up
// to 2^precision bytes and some hundred more, in maps, shuffle and reduces, however many values it has.
// The counts depend on the values alone, not on splits, order or number of tasks.
//
// K and V are types that a key of a job may have. A precision outside of LeastPrecision to
// MostPrecision, or a V that cannot be a key, is an error of the first attempt.
func CountDistinct[T, K, V any](precision int, key func(rec T) K, value func(rec T) V,
) mapreduce.Job[T, K, Sketch, mapreduce.Pair[K, int64]] {
	values, err := codec.Key[V](false, codec.CallerPackage(2))
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
			for s := range sketches { // one, by Combine
				emit(mapreduce.MakePair(k, s.Count()))
			}
			return nil
		},
	}
}
