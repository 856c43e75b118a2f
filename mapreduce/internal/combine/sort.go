package combine

import (
	"math/bits"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
	"github.com/tarry-mr/tarry/mapreduce/internal/segment"
)

// Values of segment.Entry.Region in a list of sorted keys: where a key and its value are.
const (
	inDense = iota // keys of the dense array: the prefix is the whole key
	inArena        // long keys
	inCells        // this region and later ones: keys in cells, at most chunkBytes per region
)

// chunkBytes is the maximum size of a region of cells, because offsets in it have 32 bits.
const chunkBytes = 1 << 31

// keyList gives access to all keys and values of an accumulator, for package segment to sort and
// for pack.
type keyList struct {
	cells  memory.Pointer // the first one
	n      int            // number of cells, including free ones
	stride uintptr        // bytes of a cell
	chunk  int            // log2 of the number of cells in a region
	arena  []byte
	slots  memory.Pointer // values of cells; zero: values are in the cells
	dense  places
	values memory.Pointer // of the dense array
	size   uintptr        // bytes of a value
	seen   uint32         // written by touch; an unused load would be dropped by the compiler
}

func (a *accumulator) keys() *keyList {
	h := &a.hash
	l := &keyList{
		cells: h.cells, n: h.size, stride: h.stride, arena: h.arena, size: a.form.size,
		dense: a.dense.places, values: a.dense.values,
	}
	if h.slots.IsValid() {
		l.slots = memory.At(h.slots)
	}
	l.chunk = max(0, bits.Len(uint(chunkBytes/l.stride))-1)
	return l
}

func (l *keyList) cell(i int) *cell { return memory.To[cell](l.cells.Index(i, l.stride)) }

// valueOf returns the address of a cell's value.
func (l *keyList) valueOf(x *cell) memory.Pointer {
	if l.slots.IsNil() {
		return memory.Of(&x.word)
	}
	return l.slots.Index(int(x.word), l.size)
}

// sort returns the n keys in order, as entries that point to keys and values where they are. They
// are in a slab that the caller must put back into the pool. Until then the accumulator must not
// change.
func (l *keyList) sort(n int, pool *memory.Pool) *sorted {
	s := segment.Sorting{N: n, Regions: [][]byte{inDense: nil, inArena: l.arena}, Pool: pool}
	for i := 0; i < l.n; i += 1 << l.chunk {
		size := uintptr(min(1<<l.chunk, l.n-i)) * l.stride
		s.Regions = append(s.Regions, l.cells.Index(i, l.stride).Memory(size))
	}
	read := func() segment.Reader { return l.read() }
	s.Bounds(read())
	slab := pool.Get(n * segment.EntrySize)
	return &sorted{keyList: l, list: s.Sort(read, slab), slab: slab}
}

// keyReader gives package segment the keys to sort: those of the dense array, then of the cells.
type keyReader struct {
	*keyList
	place    uint64 // next place of the dense array, if hasPlace
	hasPlace bool
	at       int // in cells
}

func (l *keyList) read() *keyReader {
	place, left := l.dense.next(0)
	return &keyReader{keyList: l, place: place, hasPlace: left}
}

// Prefixes implements segment.Reader.
func (r *keyReader) Prefixes(dst []uint64) (n int) {
	for ; r.hasPlace && n < len(dst); n++ {
		dst[n] = r.densePrefix()
		r.place, r.hasPlace = r.dense.next(r.place + 1)
	}
	i, list := r.at, *r.keyList // a copy: fields would be reloaded for each cell
	for n < len(dst) && i < list.n {
		for end := min(list.n, i+len(dst)-n); i < end; i++ {
			x := list.cell(i)
			dst[n] = x.prefix()
			if x.mark != 0 { // unpredictable, so only n depends on it
				n++
			}
		}
	}
	r.at = i
	return n
}

// Entries implements segment.Reader.
func (r *keyReader) Entries(dst []segment.Entry) (n int) {
	for ; r.hasPlace && n < len(dst); n++ {
		dst[n].Set(r.densePrefix(), inDense, 0, r.dense.width, uint32(r.place))
		r.place, r.hasPlace = r.dense.next(r.place + 1)
	}
	i, list := r.at, *r.keyList
	for n < len(dst) && i < list.n {
		for end := min(list.n, i+len(dst)-n); i < end; i++ {
			x := list.cell(i)
			region, at := inCells+i>>list.chunk, uint32(i&(1<<list.chunk-1))*uint32(list.stride)
			if x.mark > inlineKey+1 {
				region, at = inArena, x.off
			}
			dst[n].Set(x.prefix(), region, at, int(x.mark-1), uint32(i))
			if x.mark != 0 { // as above
				n++
			}
		}
	}
	r.at = i
	return n
}

func (r *keyReader) densePrefix() uint64 { return (r.dense.base + r.place) << (64 - 8*r.dense.width) }

// sorted is the keys of an accumulator in order, as entries that point to keys and values.
type sorted struct {
	*keyList
	list   []segment.Entry
	slab   memory.Slab
	number [8]byte // the latest key, if it is in the dense array
}

// touchAhead is the number of entries per call of touch, which loads them before they are used.
const touchAhead = 32

// touch brings the cells of entries into the cache, then their long keys, so that misses overlap.
func (s *sorted) touch(list []segment.Entry) {
	for i := range list {
		if e := &list[i]; e.Region() >= inCells {
			s.seen += s.cell(int(e.Number())).mark
		}
	}
	for i := range list {
		if e := &list[i]; e.Region() == inArena {
			s.seen += uint32(s.arena[s.cell(int(e.Number())).off])
		}
	}
}

// pair returns the key of an entry, valid until the next call, and the address of its value.
func (s *sorted) pair(e *segment.Entry) (key []byte, v memory.Pointer) {
	i := e.Number()
	if e.Region() == inDense {
		return s.dense.keyOf(s.dense.base+uint64(i), &s.number), s.values.Index(int(i), s.size)
	}
	x := s.cell(int(i))
	return x.in(s.arena), s.valueOf(x)
}

// compact moves all pairs of s into new cells, in order, and frees hash table and dense array. So
// they take less memory, and reading them in order is fast.
func (a *accumulator) compact(s *sorted) {
	h := &a.hash
	old, oldSize, n := h.slab, h.size, len(s.list)
	h.take(n)
	for i := range s.list {
		if i%touchAhead == 0 {
			s.touch(s.list[i:min(i+touchAhead, n)])
		}
		e, x := &s.list[i], h.cell(uint64(i))
		if e.Region() == inDense {
			key, v := s.pair(e)
			x.k0, x.k1 = inlineWords(key)
			x.mark = uint32(len(key)) + 1
			copy(a.form.bytes(memory.Of(&x.word)), a.form.bytes(v))
		} else {
			h.copyCell(x, s.cell(int(e.Number())))
		}
		e.Set(0, inCells, 0, 0, uint32(i))
	}
	a.dropDense()
	h.pool.Put(old)
	freed := h.tableBytes(oldSize) - int64(n)*int64(h.stride+segment.EntrySize)
	if h.slots.IsValid() {
		freed -= heapFactor * int64(h.slots.Len()) * int64(a.form.size)
	}
	h.budget.Release(freed)
	h.charged -= freed
	s.cells, s.n = h.cells, n
}
