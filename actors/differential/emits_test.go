//go:build !race

package differential

import (
	"slices"
	"testing"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/mapreduce"
)

// exact is a trial with given, not random, emits. Each of lists is what one map emits.
type exact[K, V any] struct {
	keys   keyKind[K]
	values valueKind[V]
	shape  string
	plan   plan
	config actors.Config
	lists  [][]pair[K, V]
	pass   func(j *trial[K, V], in mapreduce.Input[[]byte], to mapreduce.Destination) (*mapreduce.Plan, error) // without Reduce
}

// run runs a job whose maps emit the lists and returns the first difference from the right output.
func (e exact[K, V]) run(t *testing.T) error {
	t.Helper()
	j := newTrial(e.keys, e.values, e.shape, e.plan)
	if j.plan.order == "" {
		j.plan.order = "hash"
	}
	j.plan.reuse = true
	j.plan.reduces = max(1, e.plan.reduces)
	j.records = e.lists
	j.ready(nil)
	if j.shape != nil && j.shape.domain != nil {
		for _, list := range j.records {
			for i := range list {
				list[i].value = j.shape.domain(j.values.copyOf(list[i].value))
			}
		}
	}
	cfg := e.config
	cfg.BlockSize = 5 // the size of one record: one map per list
	cfg.MapSlots, cfg.ReduceSlots = 2, 2
	return runExact(t, cfg, job{
		records: len(j.records), want: j.want, bind: j.reducing,
		pass: func(in mapreduce.Input[[]byte], to mapreduce.Destination) (*mapreduce.Plan, error) {
			return e.pass(j, in, to)
		},
	}, j.plan)
}

// emitting returns the n pairs at(0) to at(n-1).
func emitting[K, V any](n int, at func(i int) (K, V)) []pair[K, V] {
	list := make([]pair[K, V], n)
	for i := range list {
		list[i].key, list[i].value = at(i)
	}
	return list
}

// around returns the non-negative numbers at most width away from an edge, in order.
func around(width int, edges ...int) (list []int) {
	for _, e := range edges {
		for i := max(0, e-width); i <= e+width; i++ {
			list = append(list, i)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}
