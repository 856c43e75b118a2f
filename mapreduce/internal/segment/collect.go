package segment

import "github.com/tarry-mr/tarry/mapreduce/internal/memory"

// collector sorts the entries of several indexes as one list. Equal keys stay in the order in which
// the indexes were added.
type collector struct {
	Sorting
	indexes []shiftedIndex
}

// shiftedIndex is an index whose region numbers count from base in the collector's list of regions.
type shiftedIndex struct {
	blocks []block
	base   uint16
}

func (c *collector) add(x *index, base int) {
	if x.n == 0 {
		return
	}
	if c.N == 0 {
		c.Low = x.low
	}
	c.indexes = append(c.indexes, shiftedIndex{x.blocks, uint16(base)})
	c.N += x.n
	c.Low, c.High = min(c.Low, x.low), max(c.High, x.high)
}

// sortInto returns all entries in order, in the slab, which must have room for N entries.
func (c *collector) sortInto(regions regions, pool *memory.Pool, slab memory.Slab) []entry {
	c.Regions, c.Pool = regions, pool
	return c.Sort(func() Reader { return &indexReader{indexes: c.indexes} }, slab)
}

// indexReader reads the entries of indexes one after the other, for Sorting.Sort.
type indexReader struct {
	indexes []shiftedIndex
	decoder
}

// Prefixes implements Reader.
func (r *indexReader) Prefixes(dst []uint64) (n int) {
	for n < len(dst) && r.next() {
		n += r.prefixes(dst[n:])
	}
	return n
}

// Entries implements Reader.
func (r *indexReader) Entries(dst []entry) (n int) {
	for n < len(dst) && r.next() {
		n += r.decode(dst[n:])
	}
	return n
}

// next moves to the next index when the current one is read; it returns false at the end.
func (r *indexReader) next() bool {
	for !r.more() {
		if len(r.indexes) == 0 {
			return false
		}
		r.decoder = decoder{rest: r.indexes[0].blocks, base: r.indexes[0].base}
		r.indexes = r.indexes[1:]
	}
	return true
}
