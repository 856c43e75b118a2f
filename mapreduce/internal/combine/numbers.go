package combine

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// numbers is the part of a table whose keys are numbers close to each other: values stand in a row,
// each at the place of its key, so that there is nothing to hash or compare: an emit costs a third
// of one into cells. Keys that lie elsewhere are in the cells, until there are so many of all that a
// longer row is worth its memory.
type numbers[V any] struct {
	width  int    // bytes of a key, big-endian; 0: keys are no numbers
	base   uint64 // the key of the first place
	values []V
	there  []uint64 // bits: which places are taken
	n      int      // how many are

	low, high uint64 // least and greatest key that went to the cells
	next      int    // keys in the cells at which the row is looked at again
	slab      memory.Slab
	charged   int64
}

const (
	firstPlaces = 1 << 10 // of the row that begins with the first key
	firstLook   = 1 << 10
	// sparse is how many places there may be for each key: a place takes about an eighth of what a
	// key in the cells does.
	sparse = 16
	// mostPlaces have numbers of 32 bits.
	mostPlaces = 1 << 31
)

// place folds a value into that at place i.
func (t *Table[V]) place(i uint64, v *V) {
	word, bit := &t.d.there[i/64], uint64(1)<<(i%64)
	at := &t.d.values[i]
	switch {
	case *word&bit == 0:
		*word |= bit
		*at = *v
		t.d.n++
	case t.c.sum:
		add(at, v)
	default:
		*at = t.c.combine(*at, *v)
	}
}

// putNumber folds v into the value of the key that is the number x.
func (t *Table[V]) putNumber(x uint64, v *V) {
	if i := x - t.d.base; i < uint64(len(t.d.values)) {
		t.place(i, v)
		return
	}
	t.elsewhere(x, *v)
}

// elsewhere puts a key that has no place in the row into the cells.
func (t *Table[V]) elsewhere(x uint64, v V) {
	d := &t.d
	if d.values == nil && d.next == 0 {
		d.next, d.low = firstLook, ^uint64(0)
		if t.extendAsBefore(x) || t.extend(x&^(firstPlaces-1), firstPlaces) {
			t.place(x-d.base, &v)
			return
		}
	}
	d.low, d.high = min(d.low, x), max(d.high, x)
	var key [8]byte
	binary.BigEndian.PutUint64(key[:], x<<(64-8*d.width))
	t.put(key[:d.width], v)
	if t.c.n >= d.next {
		t.lookAgain()
	}
}

// extendAsBefore makes the first row as long as that of an earlier table over the same keys, by the look of it:
// in rounds no map has to find out once more where its keys lie.
func (t *Table[V]) extendAsBefore(x uint64) bool {
	if t.cfg.Expected == 0 || t.cfg.Partition != nil {
		return false
	}
	l := layoutWith(t.d.width, t.cfg.Partitions, x)
	return l != nil && l.places/2 <= t.cfg.Expected && t.extend(l.base, l.places)
}

// lookAgain moves all keys into a longer row if they, or as many as are expected, lie close enough to
// each other; else the cells become as many as are expected.
func (t *Table[V]) lookAgain() {
	t.d.next = 2 * t.c.n
	base, places, ok := t.span(max(t.c.n+t.d.n, t.cfg.Distinct, t.cfg.Expected))
	if !ok {
		t.presize()
		return
	}
	t.flush()
	if t.err == nil && t.move(base, places) {
		t.d.next = max(firstLook, t.d.n/4)
	}
}

// gather moves all keys into the row, if they lie close enough to each other.
func (t *Table[V]) gather() bool {
	if t.c.n == 0 {
		return true
	}
	base, places, ok := t.span(t.c.n + t.d.n)
	return ok && t.move(base, places)
}

// span is where a row begins that has all keys, and how many places it has; false if n are too
// few for it. Its ends are rounded, so that the rows of maps over the same keys mostly have the
// same, and what lies beyond the keys seen so far is in it.
func (t *Table[V]) span(n int) (base uint64, places int, ok bool) {
	d := &t.d
	low, high := d.low, d.high
	if d.n > 0 {
		first, last := d.ends()
		low, high = min(low, d.base+first), max(high, d.base+last)
	}
	if (high-low)/sparse >= uint64(n) || high-low > mostPlaces {
		return 0, 0, false
	}
	step := uint64(64)
	for 16*step <= high-low {
		step *= 2
	}
	low &^= step - 1
	return low, int((high|(step-1))-low) + 1, true
}

// move moves all keys into a row of so many places from base on; false if the budget refuses.
func (t *Table[V]) move(base uint64, places int) bool {
	d := &t.d
	if !t.extend(base, places) {
		return false
	}
	var buf [inlineKey]byte
	for i := range t.c.cells {
		if x := &t.c.cells[i]; x.mark != 0 {
			v := x.value
			t.place(d.number(t.c.key(x, &buf))-d.base, &v)
		}
	}
	t.c.clear()
	d.low, d.high = ^uint64(0), 0
	return true
}

// extend makes a row of so many places from base on, which takes in the one that is there; false if
// the budget refuses. base and places are multiples of 64 that hold what there is.
func (t *Table[V]) extend(base uint64, places int) bool {
	d := &t.d
	size := int(unsafe.Sizeof(*new(V)))
	need := t.placesBytes(places)
	if !t.cfg.Budget.TryAcquire(need) {
		return false
	}
	old := *d
	d.slab = t.cfg.Pool.GetZeroed(places*size + places/8)
	d.there = memory.Cast[uint64](d.slab.Bytes)[:places/64]
	d.values = memory.Cast[V](d.slab.Bytes[places/8:])[:places]
	d.base = base
	if old.n > 0 {
		first, last := old.ends()
		from, to := first/64, last/64+1
		copy(d.values[old.base+from*64-base:], old.values[from*64:to*64])
		copy(d.there[(old.base+from*64-base)/64:], old.there[from:to])
	}
	t.cfg.Pool.Outgrown(old.slab)
	t.cfg.Budget.Release(old.charged)
	d.charged = need
	return true
}

// placesBytes is what a row is charged: itself, and the packed copy of all its places or the order
// in which they are spilled.
func (t *Table[V]) placesBytes(places int) int64 {
	size := int(unsafe.Sizeof(*new(V)))
	row := memory.SlabSize(places*size + places/8)
	return int64(row + places*(1+t.d.width+max(size, binary.MaxVarintLen64)))
}

// ends are the first and the last place that is taken; there must be one.
func (d *numbers[V]) ends() (first, last uint64) {
	i := 0
	for d.there[i] == 0 {
		i++
	}
	j := len(d.there) - 1
	for d.there[j] == 0 {
		j--
	}
	return uint64(i*64 + bits.TrailingZeros64(d.there[i])), uint64(j*64 + 63 - bits.LeadingZeros64(d.there[j]))
}

// number reads a key.
func (d *numbers[V]) number(key []byte) uint64 {
	x := uint64(0)
	for _, c := range key {
		x = x<<8 | uint64(c)
	}
	return x
}

// each calls fn with each taken place, in the order of the keys.
func (d *numbers[V]) each(fn func(i uint64)) {
	for w, word := range d.there {
		for ; word != 0; word &= word - 1 {
			fn(uint64(w*64 + bits.TrailingZeros64(word)))
		}
	}
}

// keyAt writes the key of a place to buf.
func (d *numbers[V]) keyAt(i uint64, buf *[8]byte) []byte {
	binary.BigEndian.PutUint64(buf[:], (d.base+i)<<(64-8*d.width))
	return buf[:d.width]
}

// turned is the cell of a place, as the sort leaves it.
func (d *numbers[V]) turned(i uint64) cell[V] {
	return cell[V]{k0: (d.base + i) << (64 - 8*d.width), mark: uint32(d.width) + 1, value: d.values[i]}
}

// mergeInto puts all places that are taken among the first n cells, which are sorted and turned.
func (d *numbers[V]) mergeInto(cells []cell[V], n int) {
	at := len(cells) - 1
	for w, word := range slices.Backward(d.there) {
		for ; word != 0; at-- {
			bit := 63 - bits.LeadingZeros64(word)
			word &^= 1 << bit
			x := d.turned(uint64(w*64 + bit))
			for ; n > 0 && cells[n-1].k0 > x.k0; at-- {
				n--
				cells[at] = cells[n]
			}
			cells[at] = x
		}
	}
}

// empty drops all keys and keeps the row.
func (d *numbers[V]) empty() {
	clear(d.there)
	d.n = 0
}

func (t *Table[V]) dropNumbers() {
	t.cfg.Pool.Put(t.d.slab)
	t.cfg.Budget.Release(t.d.charged)
	t.d = numbers[V]{width: t.d.width}
}

// checkNumbers panics if the configuration cannot work for keys that are numbers.
func (c *Config[V]) checkNumbers() {
	if c.Width < 0 || c.Width > 8 {
		panic(fmt.Sprintf("combine: keys of %d bytes are no numbers", c.Width))
	}
}
