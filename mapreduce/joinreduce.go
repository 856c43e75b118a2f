package mapreduce

import (
	"bytes"
	"fmt"
	"iter"

	"github.com/tarry-mr/tarry/mapreduce/internal/codec"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// joinPairs is a reduce attempt of a join over encoded pairs. It behaves like joinRun, which
// RunLocal and watched plans use, in half the time: it decodes values only when the user's function
// gets them, and allocates nothing per group.
type joinPairs[K, A, B, O any] struct {
	join    *feedJoin[K, A, B, O]
	largest int64
	key     func([]byte) (K, error)
	a, b    *codec.Codec

	in         *encodedPairs
	w          *recordWriter
	emit       func(O)
	group      []byte // key of the current group
	leftValues []byte // encoded
	ends       []int  // of each value in leftValues
	left       []A
	right      B // the current one
	calls      callCount
	seqs       [keptSeqs]iter.Seq[B] // sequences that calls of the user's function get in rotation
}

// pairs returns the state of a new reduce attempt over encoded pairs.
func (j *feedJoin[K, A, B, O]) pairs(largest int64, home string) (*joinPairs[K, A, B, O], error) {
	key, errK := codec.Key[K](false, home)
	a, errA := codec.Value[A]()
	b, errB := codec.Value[B]()
	for _, err := range []error{errK, errA, errB} {
		if err != nil {
			return nil, err
		}
	}
	r := &joinPairs[K, A, B, O]{join: j, largest: largest, key: key.Decoder(), a: a.Codec, b: b.Codec}
	for i := range r.seqs {
		r.seqs[i] = r.rightOf(i)
	}
	return r, nil
}

// run joins all groups of in.
func (r *joinPairs[K, A, B, O]) run(in *encodedPairs, w *recordWriter) error {
	r.in, r.w, r.emit = in, w, emitTo[O](w)
	for in.next(); in.ok; {
		if err := r.one(); err != nil {
			return err
		}
	}
	return in.err
}

// one joins the group that begins with the current pair: it calls the user's function for it.
func (r *joinPairs[K, A, B, O]) one() error {
	in := r.in
	r.group = append(r.group[:0], in.key...)
	in.groups++
	k, err := r.key(r.group)
	if err != nil {
		return err
	}
	if err := r.takeLeft(k); err != nil {
		return err
	}
	r.w.gate.Open()
	if r.join.each != nil {
		err = r.eachPair(k)
	} else {
		n := r.calls.enter()
		err = r.join.group(k, r.left, r.seqs[n], r.emit)
		r.calls.leave()
	}
	r.w.gate.Shut()
	clear(r.left)
	if in.err != nil { // the group ended early, so an error of the user's code means nothing
		return in.err
	}
	if err == nil {
		err = r.w.err()
	}
	for err == nil && r.within() { // skip values that the user's code did not read
		in.done()
	}
	return err
}

// within reports whether the current pair belongs to the current group.
func (r *joinPairs[K, A, B, O]) within() bool {
	return r.in.ok && bytes.Equal(r.group, r.in.key)
}

// The first byte of an encoded value tells which feed it belongs to.
const (
	ofLeft  = 0
	ofRight = 1
)

// takeLeft reads and decodes the left values of the current group.
func (r *joinPairs[K, A, B, O]) takeLeft(k K) error {
	in, held := r.in, int64(0)
	r.leftValues, r.ends, r.left = r.leftValues[:0], r.ends[:0], r.left[:0]
	for first := true; first && in.ok || r.within(); first = false {
		v := in.value
		if len(v) == 0 || v[0] > ofRight {
			return codec.ErrMalformed
		}
		if v[0] == ofRight {
			break
		}
		if held += int64(len(v)) + int64(memory.SizeOf[A]()); held > r.largest {
			return tooManyLeft(k, r.largest)
		}
		r.leftValues = append(r.leftValues, v[1:]...)
		r.ends = append(r.ends, len(r.leftValues))
		in.done()
	}
	if in.err != nil {
		return in.err
	}
	at := 0
	for _, end := range r.ends {
		r.left = append(r.left, *new(A))
		if err := decodeAll(r.a, r.leftValues[at:end:end], memory.Of(&r.left[len(r.left)-1])); err != nil {
			return err
		}
		at = end
	}
	return nil
}

// decodeAll decodes src to the value at p. Bytes after the value are an error.
func decodeAll(c *codec.Codec, src []byte, p memory.Pointer) error {
	rest, err := c.Decode(src, p)
	if err == nil && len(rest) > 0 {
		err = codec.ErrMalformed
	}
	return err
}

// takeRight decodes the current right value; it returns false after the last one of the group.
func (r *joinPairs[K, A, B, O]) takeRight() bool {
	if !r.within() {
		return false
	}
	err := codec.ErrMalformed
	if v := r.in.value; len(v) > 0 && v[0] == ofRight {
		err = decodeAll(r.b, v[1:], memory.Of(&r.right))
	}
	if err != nil {
		r.in.fails(err)
	}
	return err == nil
}

// eachPair calls the function given to Join for each pair of a left and a right value of key k.
func (r *joinPairs[K, A, B, O]) eachPair(k K) error {
	if len(r.left) == 0 {
		return nil
	}
	for each, emit := r.join.each, r.emit; r.takeRight(); r.in.done() {
		for i := range r.left {
			if err := each(k, r.left[i], r.right, emit); err != nil {
				return err
			}
		}
	}
	return nil
}

// rightOf returns the right values of the current group, as the i-th reused sequence.
func (r *joinPairs[K, A, B, O]) rightOf(i int) iter.Seq[B] {
	return func(yield func(B) bool) {
		defer fault.Guard(fault.Guard(true)) // iter.Pull calls this in a goroutine of its own
		r.calls.begin(i)
		for mine := r.calls.now; r.takeRight() && yield(r.right); r.in.done() {
			r.calls.check(mine)
		}
	}
}

// tooManyLeft returns the error for a key whose left values exceed the memory limit.
func tooManyLeft(key any, largest int64) error {
	return Permanent(fmt.Errorf("%w: key %s has more than %d bytes of left values, which a join holds in memory: "+
		"make the feed with fewer values a key the left one", ErrRecordTooLarge, fault.ValueText(key), largest))
}
