package mapreduce

import (
	"bytes"
	"iter"

	"github.com/tarry-mr/tarry/mapreduce/internal/combine"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
)

// typedReduce is the typed half of a reduce attempt.
type typedReduce[K, V, O any] struct {
	user      Reducer[K, V, O]
	emit      func(O)
	decodeKey func([]byte) (K, error)
	v         V            // the value at hand
	stream    *groupStream // of the group at hand

	// The sequences that calls of the user's function are given in turn, made when they are asked
	// for.
	values [keptSeqs]iter.Seq[V]
	pairs  [keptSeqs]iter.Seq2[K, V]
}

func (b *typedJob[I, K, V, O]) startReduce(t *Task, w *recordWriter) (*reduceCode, error) {
	r := &typedReduce[K, V, O]{emit: emitTo[O](w), decodeKey: b.key.Decoder()}
	decode := b.value.Decoder()
	code := &reduceCode{
		call: r.call,
		decode: func(value []byte) (err error) {
			r.v, err = decode(value)
			return err
		},
		merge: func(o combine.Options, list []*combine.Segment) tableMerge {
			m := combine.NewMerge(b.combineConfig(o), list)
			return tableMerge{merge: m, numbers: func(run *reduceRun) (int64, bool, error) {
				return passNumbers[K](run, m, r.emit)
			}, next: func() (key []byte, ok bool) {
				key, r.v, ok = m.Next()
				return key, ok
			}}
		},
	}
	if b.job.Reduce == nil && b.job.ReduceTask == nil {
		pass := any(r.emit).(func(Pair[K, V]))
		code.pass = func(key []byte) error {
			k, err := r.decodeKey(key)
			if err == nil {
				pass(Pair[K, V]{k, r.v})
			}
			return err
		}
		return code, nil
	}
	var err error
	if r.user, err = b.reducer(t); err != nil {
		return nil, err
	}
	code.resumes, code.encoded = r.user.resumes, r.user.encoded
	if r.user.Close != nil {
		code.close = func() error { return r.user.Close(r.emit) }
	}
	return code, nil
}

func (r *typedReduce[K, V, O]) call(s *groupStream, sequence int) error {
	r.stream = s
	if r.user.Pairs != nil {
		if r.pairs[sequence] == nil {
			r.pairs[sequence] = r.pairsOf(sequence)
		}
		return r.user.Pairs(r.pairs[sequence], r.emit)
	}
	k, err := r.decodeKey(s.group)
	if err != nil {
		return err
	}
	if r.values[sequence] == nil {
		r.values[sequence] = r.valuesOf(sequence)
	}
	return r.user.Reduce(k, r.values[sequence], r.emit)
}

func (r *typedReduce[K, V, O]) valuesOf(sequence int) iter.Seq[V] {
	return func(yield func(V) bool) {
		defer fault.Guard(fault.Guard(true)) // iter.Pull calls this in a goroutine of its own
		s := r.stream
		s.calls.begin(sequence)
		for mine := s.calls.now; s.within() && yield(r.v); s.advance() {
			s.calls.check(mine)
		}
	}
}

// pairsOf is valuesOf for values with their keys. A key is decoded once for all pairs in a row
// that have it.
func (r *typedReduce[K, V, O]) pairsOf(sequence int) iter.Seq2[K, V] {
	var at []byte // of k
	return func(yield func(K, V) bool) {
		defer fault.Guard(fault.Guard(true))
		s := r.stream
		s.calls.begin(sequence)
		var k K
		known := false
		for mine := s.calls.now; s.within(); s.advance() {
			if !known || !bytes.Equal(at, s.key) {
				var err error
				at = append(at[:0], s.key...)
				if k, err = r.decodeKey(at); err != nil {
					fault.Throw(err)
				}
				known = true
			}
			if !yield(k, r.v) {
				return
			}
			s.calls.check(mine)
		}
	}
}
