package mapreduce

import (
	"encoding/binary"
	"iter"
	"math"

	"github.com/cespare/xxhash/v2"

	"github.com/tarry-mr/tarry/mapreduce/internal/input"
)

// Distinct is the job that gives each record once, in the order of keys.
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

// SortBy is the job that puts records in the order of their keys, over all parts; records of one key
// stay in the order of the input. Descending turns the keys around, not those.
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

// CountDistinct is the job that counts, for each key, the different values among its records. It is
// exact: each value of a key is held once in the shuffle, and a reduce counts them as they pass by.
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
			for range each { // each key once, by Combine
				n++
			}
			emit(MakePair(k.First, n))
			return nil
		},
	}
}

// Each is the job that makes one record of each, in their order.
func Each[I, O any](f func(rec I) O) MapOnly[I, O] {
	return MapOnly[I, O]{
		Name: "each",
		Map: func(rec I, emit func(O)) error {
			emit(f(rec))
			return nil
		},
	}
}

// Sample is the job that keeps about that part of the records, 0 to 1: each or not by the seed, the name of
// its source and its offset there (see [Task.Offset]) alone, the same ones whatever the splits. Sources of
// one name are told apart by their order. Of Chunks whole chunks are kept, and which depends on the splits.
func Sample[T any](part float64, seed uint64) MapOnly[T, T] {
	return MapOnly[T, T]{
		Name: "sample",
		MapTask: func(t *Task) (Filter[T, T], error) {
			return Filter[T, T]{Map: func(rec T, emit func(T)) error {
				var at [32]byte
				binary.LittleEndian.PutUint64(at[:], seed)
				binary.LittleEndian.PutUint64(at[8:], uint64(t.Offset()))
				binary.LittleEndian.PutUint64(at[16:], xxhash.Sum64String(t.InputName()))
				binary.LittleEndian.PutUint64(at[24:], uint64(input.Twin(t.reader.source)))
				if part >= 1 || float64(xxhash.Sum64(at[:])) < part*math.MaxUint64 {
					emit(rec)
				}
				return nil
			}}, nil
		},
	}
}
