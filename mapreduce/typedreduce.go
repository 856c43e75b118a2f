package mapreduce

import (
	"bytes"
	"iter"
	"unsafe"

	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
	"github.com/tarry-mr/tarry/mapreduce/internal/run"
	"github.com/tarry-mr/tarry/mapreduce/internal/task"
	"github.com/tarry-mr/tarry/mapreduce/internal/write"
)

// typedReduce calls the user's reduce function in an attempt.
type typedReduce[K, V, O any] struct {
	user    Reducer[K, V, O]
	emit    func(O)
	readKey func(b []byte, k memory.Pointer) error
	key     K
	stream  *run.Groups // at the current group

	// The sequences that calls of the user's function receive in rotation, created on first use.
	values [run.KeptSeqs]iter.Seq[V]
	pairs  [run.KeptSeqs]iter.Seq2[K, V]
}

func (b *typedJob[I, K, V, O]) StartReduce(t *task.Task, w *write.Writer, readKey func(b []byte, key memory.Pointer) error) (code run.ReduceCode, err error) {
	r := &typedReduce[K, V, O]{emit: write.EmitTo[O](w), readKey: readKey}
	r.user.Reduce = b.job.Reduce
	if b.job.ReduceTask != nil {
		if r.user, err = b.job.ReduceTask(&Task{of: t}); err != nil {
			return code, err
		}
		if r.user.code != nil {
			return r.user.code(w, b.watch), nil
		}
		if (r.user.Reduce == nil) == (r.user.Pairs == nil) {
			return code, errNoReduce
		}
	}
	b.watch.WrapReduce(t.ID, &r.user.Close, &r.user.Reduce, &r.user.Pairs)
	code.Call = r.call
	if r.user.Close != nil {
		code.Close = func() error { return r.user.Close(r.emit) }
	}
	return code, nil
}

func (r *typedReduce[K, V, O]) call(s *run.Groups, sequence int) error {
	r.stream = s
	if r.user.Pairs != nil {
		if r.pairs[sequence] == nil {
			r.pairs[sequence] = r.pairsOf(sequence)
		}
		return r.user.Pairs(r.pairs[sequence], r.emit)
	}
	if err := r.readKey(s.Group, memory.Raw(unsafe.Pointer(&r.key))); err != nil {
		return err
	}
	if r.values[sequence] == nil {
		r.values[sequence] = r.valuesOf(sequence)
	}
	return r.user.Reduce(r.key, r.values[sequence], r.emit)
}

//go:noinline
func (r *typedReduce[K, V, O]) valuesOf(sequence int) iter.Seq[V] {
	return func(yield func(V) bool) {
		defer fault.Guard(fault.Guard(true)) // iter.Pull calls this in a goroutine of its own
		s := r.stream
		for mine := s.Begin(sequence); s.Within() && yield(*(*V)(s.Value.Raw())); s.Advance() {
			s.Check(mine)
		}
	}
}

// pairsOf returns the group's pairs as a reused sequence. It decodes equal keys in a row once.
//
//go:noinline
func (r *typedReduce[K, V, O]) pairsOf(sequence int) iter.Seq2[K, V] {
	k, at := new(K), []byte(nil) // the key and its encoding
	return func(yield func(K, V) bool) {
		defer fault.Guard(fault.Guard(true))
		s := r.stream
		known := false
		for mine := s.Begin(sequence); s.Within(); s.Advance() {
			if !known || !bytes.Equal(at, s.Key) {
				at = append(at[:0], s.Key...)
				if err := r.readKey(at, memory.Raw(unsafe.Pointer(k))); err != nil {
					fault.Throw(err)
				}
				known = true
			}
			if !yield(*k, *(*V)(s.Value.Raw())) {
				return
			}
			s.Check(mine)
		}
	}
}
