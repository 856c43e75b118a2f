package mapreduce

import (
	"fmt"
	"iter"

	"github.com/tarry-mr/tarry/mapreduce/internal/codec"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
	"github.com/tarry-mr/tarry/mapreduce/internal/run"
	"github.com/tarry-mr/tarry/mapreduce/internal/task"
	"github.com/tarry-mr/tarry/mapreduce/internal/watch"
	"github.com/tarry-mr/tarry/mapreduce/internal/write"
)

// joinRun is a reduce attempt of a join. It decodes values only when the user's function gets them,
// and allocates nothing per group.
type joinRun[K, A, B, O any] struct {
	group   func(key K, left []A, right iter.Seq[B], emit func(O)) error
	each    func(key K, a A, b B, emit func(O)) error // in place of group; nil if it is not a Join
	emit    func(O)
	largest int64
	key     func([]byte) (K, error)
	a, b    func(b []byte, v memory.Pointer) error // decode left and right values

	stream     *run.Groups // at the current group
	leftValues []byte      // encoded
	ends       []int       // of each value in leftValues
	left       []A
	right      B                         // the current one
	seqs       [run.KeptSeqs]iter.Seq[B] // sequences that calls of the user's function get in rotation
}

// reduceCode returns the code of a reduce attempt. In debug mode it checks the user's function.
func (j feedJoin[K, A, B, O]) reduceCode(c joinCodecs[K, A, B], t *task.Task, w *write.Writer, s *watch.State) run.ReduceCode {
	r := &joinRun[K, A, B, O]{
		group: j.group, each: j.each, emit: write.EmitTo[O](w), largest: t.Budget.Largest(),
		key: c.key.Decoder(), a: c.left.Reader(), b: c.right.Reader(),
	}
	for i := range r.seqs {
		r.seqs[i] = r.rightOf(i)
	}
	var end func(emit func(O)) error
	if s.WrapReduce(t.ID, &end, &r.group) {
		r.each = nil // group calls it
		return run.ReduceCode{Call: r.call, Close: func() error { return end(r.emit) }}
	}
	return run.ReduceCode{Call: r.call}
}

// call calls the user's function for a group.
func (r *joinRun[K, A, B, O]) call(s *run.Groups, sequence int) error {
	r.stream = s
	k, err := r.key(s.Group)
	if err != nil {
		return err
	}
	if err := r.takeLeft(k); err != nil {
		return err
	}
	if r.each != nil {
		err = r.eachPair(k)
	} else {
		err = r.group(k, r.left, r.seqs[sequence], r.emit)
	}
	clear(r.left)
	return err
}

// value returns the current sided value.
func (r *joinRun[K, A, B, O]) value() ([]byte, error) {
	v := *memory.To[[]byte](r.stream.Value)
	if len(v) == 0 || v[0] > ofRight {
		return nil, codec.ErrMalformed
	}
	return v, nil
}

// takeLeft reads and decodes the left values of the current group.
func (r *joinRun[K, A, B, O]) takeLeft(k K) error {
	s, held := r.stream, int64(0)
	r.leftValues, r.ends, r.left = r.leftValues[:0], r.ends[:0], r.left[:0]
	for ; s.Within(); s.Advance() {
		v, err := r.value()
		if err != nil {
			return err
		}
		if v[0] == ofRight {
			break
		}
		if held += int64(len(v)) + int64(memory.SizeOf[A]()); held > r.largest {
			return tooManyLeft(k, r.largest)
		}
		r.leftValues = append(r.leftValues, v[1:]...)
		r.ends = append(r.ends, len(r.leftValues))
	}
	at := 0
	for _, end := range r.ends {
		r.left = append(r.left, *new(A))
		if err := r.a(r.leftValues[at:end:end], memory.Of(&r.left[len(r.left)-1])); err != nil {
			return err
		}
		at = end
	}
	return s.Err
}

// takeRight decodes the current right value; it returns false after the last one of the group.
func (r *joinRun[K, A, B, O]) takeRight() bool {
	if !r.stream.Within() {
		return false
	}
	v, err := r.value()
	if err == nil && v[0] == ofLeft {
		err = codec.ErrMalformed
	}
	if err == nil {
		err = r.b(v[1:], memory.Of(&r.right))
	}
	if err != nil {
		r.stream.Err = err
	}
	return err == nil
}

// eachPair calls the function given to Join for each pair of a left and a right value of key k.
func (r *joinRun[K, A, B, O]) eachPair(k K) error {
	if len(r.left) == 0 {
		return nil
	}
	for each, emit := r.each, r.emit; r.takeRight(); r.stream.Advance() {
		for i := range r.left {
			if err := each(k, r.left[i], r.right, emit); err != nil {
				return err
			}
		}
	}
	return nil
}

// rightOf returns the right values of the current group, as the i-th reused sequence.
func (r *joinRun[K, A, B, O]) rightOf(i int) iter.Seq[B] {
	return func(yield func(B) bool) {
		defer fault.Guard(fault.Guard(true)) // iter.Pull calls this in a goroutine of its own
		s := r.stream
		for mine := s.Begin(i); r.takeRight() && yield(r.right); s.Advance() {
			s.Check(mine)
		}
	}
}

// tooManyLeft returns the error for a key whose left values exceed the memory limit.
func tooManyLeft(key any, largest int64) error {
	return Permanent(fmt.Errorf("%w: key %s has more than %d bytes of left values, which a join holds in memory: "+
		"make the feed with fewer values a key the left one", ErrRecordTooLarge, fault.ValueText(key), largest))
}
