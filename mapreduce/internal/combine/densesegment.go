package combine

import (
	"encoding/binary"
	"math/bits"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// denseSegment is one partition of a table's dense array. Its segments share the whole array, and
// each has a bitmap of its keys, so that nothing is copied, hashed or sorted.
type denseSegment struct {
	places
	values []byte   // memory of the values
	mask   []uint64 // bitmap of the partition's places; nil: all
}

// word returns the bitmap of the partition's keys among the 64 keys 64 w, 64 w + 1, ….
func (r *denseSegment) word(w uint64) uint64 {
	i := w - r.base/64
	if i >= uint64(len(r.occupied)) {
		return 0
	}
	if r.mask == nil {
		return r.occupied[i]
	}
	return r.occupied[i] & r.mask[i]
}

func (r *denseSegment) end() uint64 { return r.base/64 + uint64(len(r.occupied)) }

// count returns the number of keys in the partition.
func (r *denseSegment) count() (n int64) {
	for i, word := range r.occupied {
		if r.mask != nil {
			word &= r.mask[i]
		}
		n += int64(bits.OnesCount64(word))
	}
	return n
}

// handDense turns the dense array into the segments out, which are views of it, without a copy; if
// the budget refuses, it spills the table. It returns false if keys are elsewhere, if views are
// impossible, or if a packed copy would be half as large.
func (a *accumulator) handDense(out []*Segment) bool {
	d, c := &a.dense, &a.opt
	if d.count() == 0 || c.Partition != nil || len(a.spills) > 0 || !a.gather() {
		return false
	}
	pair, size := d.width+int(a.form.size), int64(len(d.slab.Bytes))
	if size > 2*int64(d.count())*int64(pair+1) {
		return false
	}
	masks := make([][]uint64, 1)
	if c.Partitions > 1 {
		l := layoutOf(d.width, d.base, 64*len(d.occupied), c.Partitions)
		if l == nil {
			return false
		}
		masks = l.masks
	}
	if !c.Budget.Keep(size) {
		a.drain()
		return true
	}
	c.Budget.Release(d.charged - size)
	s := newStore(c, []memory.Slab{d.slab}, size)
	defer s.drop()
	for p := range out {
		r := &denseSegment{places: d.places, values: d.memory(), mask: masks[p]}
		if n := r.count(); n > 0 {
			s.refs.Add(1)
			*out[p] = Segment{dense: r, store: s, records: n, bytes: n * int64(pair), inMemory: n}
		}
	}
	a.dense = denseValues{places: places{width: d.width}}
	return true
}

// absorbDense folds the pairs of another table's dense array, for a Merge.
func (a *accumulator) absorbDense(r *denseSegment) {
	size := int(a.form.size)
	for i := range r.occupied {
		for word := r.word(r.base/64 + uint64(i)); word != 0 && a.err == nil; word &= word - 1 {
			at := i*64 + bits.TrailingZeros64(word)
			copy(a.form.bytes(a.next()), r.values[at*size:])
			a.putNumber(r.base + uint64(at))
		}
	}
}

// denseMerge reads the keys of dense arrays in order, with combined values, 64 keys at a time.
type denseMerge struct {
	arrays    []*denseSegment
	form      *valueForm
	at, end   uint64 // index of the current 64 keys (key / 64), and its end
	left      uint64 // bitmap: which of the current 64 keys are unread
	wordReady bool   // left is that of at
	hits      []Hit

	keys   [64]uint64     // read ahead for Merge.Next
	values memory.Pointer // of keys
	ahead  []uint64       // unread rest of keys
}

// newDenseMerge returns nil if any segment has records in memory that are not in a dense array.
func newDenseMerge(segments []*Segment, f *valueForm) *denseMerge {
	m := &denseMerge{at: ^uint64(0), form: f, hits: make([]Hit, 0, 64)}
	for _, s := range segments {
		switch {
		case s.dense != nil:
			m.arrays = append(m.arrays, s.dense)
			m.at, m.end = min(m.at, s.dense.base/64), max(m.end, s.dense.end())
		case s.records > 0:
			return nil
		}
	}
	if len(m.arrays) == 0 {
		return nil
	}
	return m
}

// find advances to the next 64 keys of which one is unread; it returns false at the end.
func (m *denseMerge) find() bool {
	for m.left == 0 {
		if m.wordReady {
			m.at++
		}
		if m.at = m.within(m.at); m.at >= m.end {
			return false
		}
		m.wordReady = true
		for _, r := range m.arrays {
			m.left |= r.word(m.at)
		}
	}
	return true
}

// within returns the first index of 64 keys, at or later, that is in any of the arrays.
func (m *denseMerge) within(at uint64) uint64 {
	next := m.end
	for _, r := range m.arrays {
		if at < r.end() {
			next = min(next, max(at, r.base/64))
		}
	}
	return next
}

// next sets keys to the next keys, and their values in the array at values, stride bytes apart. It
// returns how many; fewer than len(keys) only at the end.
func (m *denseMerge) next(keys []uint64, values memory.Pointer, stride uintptr) (n int) {
	for n < len(keys) && m.find() {
		from, left := n, m.left
		for ; left != 0 && n < len(keys); left &= left - 1 {
			keys[n] = m.at*64 + uint64(bits.TrailingZeros64(left))
			n++
		}
		m.fill(keys[from:n], values.Index(from, stride), stride)
		m.left = left
	}
	return n
}

// fill sets the values of keys, all among the current 64, combined in the order of the arrays.
func (m *denseMerge) fill(keys []uint64, values memory.Pointer, stride uintptr) {
	var done uint64
	for _, r := range m.arrays {
		word := r.word(m.at)
		if word == 0 {
			continue
		}
		hits := m.hits[:0]
		for i, x := range keys {
			if bit := uint64(1) << (x % 64); word&bit != 0 {
				hits = append(hits, Hit{To: uintptr(i) * stride, From: uint32(x % 64), First: done&bit == 0})
			}
		}
		first := (m.at - r.base/64) * 64 * uint64(m.form.size)
		m.form.Fold(values, memory.Of(&r.values[first]), hits)
		done |= word
	}
}

// nextDense is Next for a merge whose segments are all dense arrays.
func (m *Merge) nextDense() (key []byte, v memory.Pointer, ok bool) {
	r, form := m.dense, &m.acc.form
	if r.values.IsNil() {
		r.values = form.array(len(r.keys))
	}
	if len(r.ahead) == 0 {
		r.ahead = r.keys[:r.next(r.keys[:], r.values, form.size)]
	}
	if len(r.ahead) == 0 {
		return nil, memory.Pointer{}, false
	}
	at := len(r.keys) - cap(r.ahead)
	width := m.acc.opt.Width
	binary.BigEndian.PutUint64(m.key[:], r.ahead[0]<<(64-8*width))
	r.ahead = r.ahead[1:]
	return m.key[:width], form.place(r.values, at), true
}

// Numbers sets keys to the next integer keys of the merge, and their values in the array at values,
// stride bytes apart. It returns how many, 0 at the end. If ok is false, the merge has other data
// and the caller must use Next. It must not mix the two.
func (m *Merge) Numbers(keys []uint64, values memory.Pointer, stride uintptr) (n int, ok bool) {
	if !m.started {
		m.start()
	}
	if m.dense == nil || m.err != nil {
		return 0, false
	}
	return m.dense.next(keys, values, stride), true
}
