package combine

import "unsafe"

// batchSize is the number of emits gathered before the table is touched.
const batchSize = 64

// pending is an emitted pair with a key of at most 16 bytes.
type pending[V any] struct {
	k0, k1 uint64
	hash   uint64
	mark   uint32
	value  V
}

// batch gathers emits in two halves: keys are hashed as they come, and when a half is full
//
//  1. the processor is asked for the cells that its pairs go to, and does not wait for them;
//  2. the pairs of the other half, whose cells have come meanwhile, are folded into theirs.
//
// So looks at far memory overlap with each other and with the user's code.
type batch[V any] struct {
	q    [2 * batchSize]pending[V]
	n    int  // pairs in the half that is being filled, and all of the first if that is the second
	late bool // the other half is full, too
	sink uint64
}

// touch has the first cell of the pairs from..to loaded.
func (c *cells[V]) touch(b *batch[V], from, to int) {
	if prefetches {
		prefetch(&b.q[from].hash, to-from, unsafe.Sizeof(b.q[0]), unsafe.Pointer(unsafe.SliceData(c.cells)),
			unsafe.Sizeof(c.cells[0]), uint64(c.shift&63), uint64(len(c.cells)-1))
		return
	}
	var sum uint64
	shift := c.shift & 63
	mask := uint64(len(c.cells) - 1)
	for i := range b.q[from:to] {
		sum += c.cells[b.q[from+i].hash>>shift&mask].k0
	}
	b.sink = sum
}

// probe folds pending pairs from the i-th to the one before end into their cells. It stops at the
// first one that needs a larger table and returns its index, or end.
func (c *cells[V]) probe(b *batch[V], i, end int) int {
	if c.sum {
		return c.probeSum(b, i, end)
	}
	if c.held.weigh != nil {
		return c.probeHeld(b, i, end)
	}
	shift := c.shift & 63
	mask := uint64(len(c.cells) - 1)
	for ; i < end; i++ {
		w := &b.q[i]
		for at := w.hash >> shift; ; at++ {
			x := &c.cells[at&mask]
			if x.k0 == w.k0 && x.k1 == w.k1 && x.mark == w.mark {
				x.value = c.combine(x.value, w.value)
				break
			}
			if x.mark == 0 {
				if c.full() {
					return i
				}
				x.k0, x.k1, x.mark, x.value = w.k0, w.k1, w.mark, w.value
				c.n++
				break
			}
		}
	}
	return i
}

// probeSum is probe with + instead of a call.
func (c *cells[V]) probeSum(b *batch[V], i, end int) int {
	shift := c.shift & 63
	table := c.cells
	mask := uint64(len(table) - 1)
	for ; i < end; i++ {
		w := &b.q[i]
		for at := w.hash >> shift; ; at++ {
			x := &table[at&mask]
			if x.k0 == w.k0 && x.k1 == w.k1 && x.mark == w.mark {
				add(&x.value, &w.value)
				break
			}
			if x.mark == 0 {
				if c.full() {
					return i
				}
				x.k0, x.k1, x.mark, x.value = w.k0, w.k1, w.mark, w.value
				c.n++
				break
			}
		}
	}
	return i
}
