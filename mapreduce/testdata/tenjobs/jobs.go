// Package tenjobs has ten jobs with keys and values of their own, to tell what a further job costs a
// program.
package tenjobs

import (
	"iter"

	"github.com/tarry-mr/tarry/mapreduce"
)

type (
	point  struct{ X, Y int }
	sum    struct{ Of, Squares float64 }
	edge   struct{ From, To int32 }
	span   struct{ From, To int64 }
	author struct {
		Name string
		Born int
	}
)

// Plans binds them.
func Plans() (plans []*mapreduce.Plan, err error) {
	for _, bind := range []func() (*mapreduce.Plan, error){
		bound[string, int], bound[int64, float64], bound[point, sum], bound[string, []string], bound[uint32, int32],
		bound[edge, float32], bound[[8]byte, span], bound[int16, []byte], bound[bool, []int64], bound[author, uint64],
	} {
		p, err := bind()
		if err != nil {
			return nil, err
		}
		plans = append(plans, p)
	}
	return plans, nil
}

// bound is a job over lines.
func bound[K, V any]() (*mapreduce.Plan, error) {
	return mapreduce.Job[[]byte, K, V, mapreduce.Pair[K, V]]{
		Map: func(_ []byte, emit func(K, V)) error {
			emit(*new(K), *new(V))
			return nil
		},
		Combine: func(_, last V) V { return last },
		Reduce: func(k K, values iter.Seq[V], emit func(mapreduce.Pair[K, V])) error {
			for v := range values {
				emit(mapreduce.MakePair(k, v))
			}
			return nil
		},
	}.Bind(mapreduce.Lines(mapreduce.Bytes("lines", nil)), mapreduce.Text[mapreduce.Pair[K, V]](mapreduce.Dir("out")))
}
