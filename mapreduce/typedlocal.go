package mapreduce

import (
	"bytes"
	"cmp"
	"iter"

	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
)

// localReduce is the user's Reduce for RunLocal.
type localReduce struct {
	group func(pairs []localPair) error
	close func() error // may be nil
}

func (b *typedJob[I, K, V, O]) startLocal(t *Task, w *recordWriter) (localReduce, error) {
	emit := emitTo[O](w)
	if b.job.Reduce == nil && b.job.ReduceTask == nil {
		return localReduce{group: func(group []localPair) error {
			for _, pair := range b.pairsLocal(group) {
				emit(any(pair).(O))
			}
			return nil
		}}, nil
	}
	r, err := b.reducer(t)
	if err != nil {
		return localReduce{}, err
	}
	calls := callCount{resumes: r.resumes}
	local := localReduce{group: func(group []localPair) error {
		defer calls.leave()
		pairs := b.pairsOnce(&calls, calls.enter(), group)
		if r.Pairs != nil {
			return r.Pairs(pairs, emit)
		}
		k, err := b.key.Decoder()(group[0].key)
		if err != nil {
			return err
		}
		return r.Reduce(k, secondOf(pairs), emit)
	}}
	if r.Close != nil {
		local.close = func() error { return r.Close(emit) }
	}
	return local, nil
}

// pairsOnce yields the pairs of a group to one call of Reduce.
func (b *typedJob[I, K, V, O]) pairsOnce(calls *callCount, sequence int, group []localPair) iter.Seq2[K, V] {
	pairs := b.pairsLocal(group)
	return func(yield func(K, V) bool) {
		calls.begin(sequence)
		mine := calls.now
		for ; len(pairs) > 0; pairs = pairs[1:] {
			if !yield(pairs[0].First, pairs[0].Second) {
				return
			}
			calls.check(mine)
		}
	}
}

// secondOf yields the values of pairs.
func secondOf[K, V any](pairs iter.Seq2[K, V]) iter.Seq[V] {
	return func(yield func(V) bool) {
		for _, v := range pairs {
			if !yield(v) {
				return
			}
		}
	}
}

// pairsLocal returns the pairs of a group, those of equal keys folded by Combine, so that a Reduce
// relies on it as it may in the engine.
func (b *typedJob[I, K, V, O]) pairsLocal(group []localPair) []Pair[K, V] {
	decodeKey, decode := b.key.Decoder(), b.value.Decoder()
	var pairs []Pair[K, V]
	for i, x := range group {
		k, errK := decodeKey(x.key)
		v, errV := decode(x.value)
		if err := cmp.Or(errK, errV); err != nil {
			fault.Throw(err)
		}
		if b.job.Combine != nil && i > 0 && bytes.Equal(x.key, group[i-1].key) {
			last := &pairs[len(pairs)-1]
			last.Second = b.job.Combine(last.Second, v)
			continue
		}
		pairs = append(pairs, MakePair(k, v))
	}
	return pairs
}
