package mapreduce

import (
	"encoding/binary"
	"iter"
	"math"

	"github.com/cespare/xxhash/v2"

	"github.com/tarry-mr/tarry/mapreduce/internal/input"
)

// Distinct returns a job that emits each distinct record once, in the order of keys.
func Distinct[T any]() Job[T, T, None, T] {
	return Job[T, T, None, T]{
		Name: "distinct",
		Map: func(rec T, emit func(T, None)) error {
			emit(rec, None{})
			return nil
		},
		Combine: func(None, None) None { return None{} },
		Reduce: func(rec T, _ iter.Seq[None], emit func(T)) error {
			emit(rec)
			return nil
		},
	}
}

// SortBy returns a job that sorts records by key over all parts; records with equal keys keep the
// order of the input. With Descending they still do.
func SortBy[T, K any](key func(rec T) K) Job[T, K, T, T] {
	return Job[T, K, T, T]{
		Name: "sort",
		Map: func(rec T, emit func(K, T)) error {
			emit(key(rec), rec)
			return nil
		},
		TotalOrder: true,
		Reduce: func(_ K, recs iter.Seq[T], emit func(T)) error {
			for rec := range recs {
				emit(rec)
			}
			return nil
		},
	}
}

// CountDistinct returns a job that counts the distinct values per key. It is exact: the shuffle
// carries each value of a key once, and a reduce counts them in a stream.
func CountDistinct[T, K, V any](key func(rec T) K, value func(rec T) V) Job[T, Pair[K, V], None, Pair[K, int64]] {
	return Job[T, Pair[K, V], None, Pair[K, int64]]{
		Name: "count distinct",
		Map: func(rec T, emit func(Pair[K, V], None)) error {
			emit(MakePair(key(rec), value(rec)), None{})
			return nil
		},
		Combine:     func(None, None) None { return None{} },
		GroupFields: 1,
		Reduce: func(k Pair[K, V], each iter.Seq[None], emit func(Pair[K, int64])) error {
			n := int64(0)
			for range each { // one per distinct value, by Combine
				n++
			}
			emit(MakePair(k.First, n))
			return nil
		},
	}
}

// Apply returns a job that applies f to each record, in order.
func Apply[I, O any](f func(rec I) O) MapOnly[I, O] {
	return MapOnly[I, O]{
		Name: "each",
		Map: func(rec I, emit func(O)) error {
			emit(f(rec))
			return nil
		},
	}
}

// Sample returns a job that keeps about a fraction part (0 to 1) of the records. The choice depends
// only on the seed, the name of the source and the record's offset in it (see [Task.Offset]), so it
// is the same for any splits. Sources of the same name are distinguished by their order. For Chunks
// it keeps whole chunks, which depend on the splits.
func Sample[T any](part float64, seed uint64) MapOnly[T, T] {
	return MapOnly[T, T]{
		Name: "sample",
		MapTask: func(t *Task) (Filter[T, T], error) {
			return Filter[T, T]{Map: func(rec T, emit func(T)) error {
				var at [32]byte
				binary.LittleEndian.PutUint64(at[:], seed)
				binary.LittleEndian.PutUint64(at[8:], uint64(t.Offset()))
				binary.LittleEndian.PutUint64(at[16:], xxhash.Sum64String(t.InputName()))
				binary.LittleEndian.PutUint64(at[24:], uint64(input.Twin(t.of.Reader.Source)))
				if part >= 1 || float64(xxhash.Sum64(at[:])) < part*math.MaxUint64 {
					emit(rec)
				}
				return nil
			}}, nil
		},
	}
}
