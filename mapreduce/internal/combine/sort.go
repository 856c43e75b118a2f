package combine

import (
	"math/bits"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
	"github.com/tarry-mr/tarry/mapreduce/internal/segment"
)

// Values of segment.Entry.Region: where a key in the hash table is.
const (
	inArena = iota // long keys
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
		dense: a.dense.places, values: memory.First(a.dense.values),
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

// sort returns all pairs in the order of keys; the hash table has n. The caller must put the slab
// back into the pool. Until then the accumulator must not change.
func (l *keyList) sort(n int, pool *memory.Pool) *sorted {
	s := segment.Sorting{N: n, Regions: [][]byte{inArena: l.arena}, Pool: pool}
	for i := 0; i < l.n; i += 1 << l.chunk {
		size := uintptr(min(1<<l.chunk, l.n-i)) * l.stride
		s.Regions = append(s.Regions, l.cells.Index(i, l.stride).Memory(size))
	}
	read := func() segment.Reader { return &keyReader{keyList: l} }
	s.Bounds(read())
	slab := pool.Get(n * segment.EntrySize)
	list := memory.Cast[uint32](slab.Bytes)[:n]
	for i, e := range s.Sort(read, slab) { // the numbers take the place of entries already read
		list[i] = e.Number()
	}
	x := &sorted{keyList: l, list: list, slab: slab}
	x.begin()
	return x
}

// keyReader gives package segment the keys of the hash table to sort.
type keyReader struct {
	*keyList
	at int // in cells
}

// Prefixes implements segment.Reader.
func (r *keyReader) Prefixes(dst []uint64) (n int) {
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

// sorted reads all pairs of an accumulator in the order of keys. The keys of the dense array are a
// range, so those of the hash table come before or after them.
type sorted struct {
	*keyList
	list   []uint32 // the cells of the hash table's keys
	at     int      // index of the next one
	place  uint64   // next place of the dense array, if left
	left   bool
	slab   memory.Slab // of list
	number [8]byte     // the latest key, if it is in the dense array
}

// begin goes to the first pair.
func (s *sorted) begin() {
	s.at = 0
	s.place, s.left = s.dense.next(0)
}

// inDense marks the number of a pair in the dense array. The rest is its place, and for other pairs
// the number is that of the cell.
const inDense = 1 << 31

// touchAhead is the number of pairs per call of touch, which loads them before they are used.
const touchAhead = 32

// next returns the number of the next pair; false at the end.
func (s *sorted) next() (id uint32, ok bool) {
	if s.at < len(s.list) {
		if s.at%touchAhead == 0 {
			s.touch(s.list[s.at:min(s.at+touchAhead, len(s.list))])
		}
		id, ok = s.list[s.at], true
	}
	if s.left && (!ok || number(s.cell(int(id)).in(nil)) > s.dense.base) {
		id = inDense | uint32(s.place)
		s.place, s.left = s.dense.next(s.place + 1)
		return id, true
	}
	s.at++
	return id, ok
}

// touch brings the cells of pairs into the cache, then their long keys, so that misses overlap.
func (s *sorted) touch(list []uint32) {
	for _, id := range list {
		if id&inDense == 0 {
			s.seen += s.cell(int(id)).mark
		}
	}
	for _, id := range list {
		if id&inDense != 0 {
			continue
		}
		if x := s.cell(int(id)); x.mark > inlineKey+1 {
			s.seen += uint32(s.arena[x.off])
		}
	}
}

// pair returns the key of a pair, valid until the next call, and the address of its value.
func (s *sorted) pair(id uint32) (key []byte, v memory.Pointer) {
	if i := id &^ inDense; i != id {
		return s.dense.keyOf(s.dense.base+uint64(i), &s.number), s.values.Index(int(i), s.size)
	}
	x := s.cell(int(id))
	return x.in(s.arena), s.valueOf(x)
}
