package combine

import (
	"math/bits"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
	"github.com/tarry-mr/tarry/mapreduce/internal/segment"
)

// denseSegment is one partition of a table's dense array: a bitmap of its own keys, and the array,
// which the segments of all partitions share. So no value is copied.
type denseSegment struct {
	places
	values memory.Pointer
}

// viewsDense reports whether the array can be passed on as it is: it takes less than twice as much
// as a packed copy.
func (a *accumulator) viewsDense() bool {
	keys := int64(a.dense.count())
	return keys > 0 && a.viewsBytes() <= 2*keys*int64(1+a.dense.width+int(a.form.size))
}

// viewsBytes returns the bytes of the array with the bitmaps of its segments.
func (a *accumulator) viewsBytes() int64 {
	d := &a.dense
	return int64(len(d.slab.Bytes) + 8*len(d.occupied)*a.opt.Partitions)
}

// denseSegments returns the dense array by partition.
func (a *accumulator) denseSegments() []*denseSegment {
	d := &a.dense
	list := make([]*denseSegment, a.opt.Partitions)
	for p := range list {
		list[p] = &denseSegment{places: d.places, values: memory.First(d.values)}
		list[p].occupied = make([]uint64, len(d.occupied))
	}
	var key [8]byte
	for i, ok := d.next(0); ok; i, ok = d.next(i + 1) {
		p := 0
		if x := d.base + i; a.opt.Partition == nil {
			p = segment.PartitionOfNumber(x, d.width, len(list))
		} else {
			p = a.opt.Partition(d.keyOf(x, &key))
		}
		list[p].occupied[i/64] |= 1 << (i % 64)
	}
	return list
}

// absorbDense folds the pairs of another table's dense array, for a Merge.
func (a *accumulator) absorbDense(s *denseSegment) {
	d, size := &a.dense, a.form.size
	low, high := s.ends()
	if !(d.covers(low) && d.covers(high) || a.gather(s)) {
		for i, ok := s.next(0); ok && a.err == nil; i, ok = s.next(i + 1) {
			copy(a.form.bytes(a.next()), a.form.bytes(a.form.place(s.values, int(i))))
			a.putNumber(s.base + i)
		}
		return
	}
	for i := (low - s.base) / 64; i <= (high-s.base)/64; i++ {
		place := s.base + i*64 - d.base
		own, hits := &d.occupied[place/64], a.hits[:0]
		for word := s.occupied[i]; word != 0; word &= word - 1 {
			bit := uint64(bits.TrailingZeros64(word))
			hits = append(hits, Hit{To: uintptr(place+bit) * size, From: uint32(i*64 + bit), First: *own>>bit&1 == 0})
		}
		*own |= s.occupied[i]
		a.form.Fold(memory.First(d.values), s.values, hits)
	}
}

// Numbers sets keys to the next integer keys of the merge, and their values in the array at values,
// stride bytes apart. It returns how many, 0 at the end. If ok is false, the merge has other data
// and the caller must use Next. It must not mix the two.
func (m *Merge) Numbers(keys []uint64, values memory.Pointer, stride uintptr) (n int, ok bool) {
	if !m.started {
		m.start()
	}
	s, form := m.sorted, &m.acc.form
	if s == nil || m.err != nil || m.fileOK || len(s.list) > 0 {
		return 0, false
	}
	for ; m.pairOK && n < len(keys); n++ {
		place := m.pair &^ inDense
		keys[n] = s.dense.base + uint64(place)
		copy(form.bytes(values.Index(n, stride)), form.bytes(form.place(s.values, int(place))))
		m.pair, m.pairOK = s.next()
	}
	return n, true
}
