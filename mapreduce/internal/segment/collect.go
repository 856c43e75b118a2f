package segment

import (
	"math/bits"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// collector makes the entries of many indexes and sorts them once, in the order in which indexes
// were added where keys are equal.
type collector struct {
	regions   regions
	pool      *memory.Pool
	indexes   []shifted
	n         int
	low, high uint64 // the least and the largest prefix
	some      [128]entry
	firsts    [128]uint64
}

// shifted is an index whose regions are numbered from base on.
type shifted struct {
	blocks []block
	base   uint16
}

func (c *collector) add(x *index, base int) {
	if x.n == 0 {
		return
	}
	if c.n == 0 {
		c.low = x.low
	}
	c.indexes = append(c.indexes, shifted{x.blocks, uint16(base)})
	c.n += x.n
	c.low, c.high = min(c.low, x.low), max(c.high, x.high)
}

// sortInto sorts all entries into the slab, which must have room for them.
//
// The first pass scatters straight from the indexes by the highest bits in which
// prefixes differ, so no other copy of the entries is ever made; the buckets are
// then sorted in the cache.
func (c *collector) sortInto(slab memory.Slab) []entry {
	dst := memory.Cast[entry](slab.Bytes)[:c.n]
	if c.n < 2*smallSort {
		at := 0
		for _, x := range c.indexes {
			d := decoder{rest: x.blocks, base: x.base}
			at += d.decode(dst[at:])
		}
		s := sorter{regions: c.regions, pool: c.pool}
		s.sort(dst, 0)
		s.close()
		return dst
	}
	k := min(bits.Len(uint(c.n))-5, firstBits)
	ends := make([]uint32, 1<<k)
	c.scatter(dst, ends, uint(max(0, bits.Len64(c.high-c.low)-k)))
	s := sorter{regions: c.regions, pool: c.pool}
	start := uint32(0)
	for _, end := range ends {
		if end-start > 1 {
			s.sort(dst[start:end], 0)
		}
		start = end
	}
	s.close()
	return dst
}

// scatter moves every entry to its bucket, that of its distance from the least prefix without its
// shift lowest bits, and leaves the bucket ends in ends.
func (c *collector) scatter(dst []entry, ends []uint32, shift uint) {
	low, some, firsts := c.low, c.some[:], c.firsts[:]
	for _, x := range c.indexes {
		d := decoder{rest: x.blocks}
		for n := d.prefixes(firsts); n > 0; n = d.prefixes(firsts) {
			for _, prefix := range firsts[:n] {
				ends[(prefix-low)>>(shift&63)]++
			}
		}
	}
	sum := uint32(0)
	for i, n := range ends {
		ends[i] = sum
		sum += n
	}
	for _, x := range c.indexes {
		d := decoder{rest: x.blocks, base: x.base}
		for n := d.decode(some); n > 0; n = d.decode(some) {
			for i := range some[:n] {
				at := &ends[(some[i].prefix-low)>>(shift&63)]
				dst[*at] = some[i]
				*at++
			}
		}
	}
}
