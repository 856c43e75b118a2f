package segment

import (
	"math/bits"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// collector gathers index entries of many blocks and sorts them once, in the
// order blocks were added where keys are equal.
type collector struct {
	regions regions
	pool    *memory.Pool
	blocks  []shifted
	n       int
}

// shifted is a block of entries whose regions are numbered from base on.
type shifted struct {
	entries []entry
	base    uint16
}

func (c *collector) add(b []entry, base int) {
	c.blocks = append(c.blocks, shifted{b, uint16(base)})
	c.n += len(b)
}

// sortInto sorts all entries into the slab, which must have room for them.
//
// The first pass scatters straight from the blocks by the highest bits in which
// prefixes differ, so no other copy of the index is ever made; the buckets are
// then sorted in the cache.
func (c *collector) sortInto(slab memory.Slab) []entry {
	dst := memory.Cast[entry](slab.Bytes)[:c.n]
	if c.n < 2*smallSort {
		at := 0
		for _, b := range c.blocks {
			at += c.copyBlock(dst[at:], b)
		}
		s := sorter{regions: c.regions, pool: c.pool}
		s.sort(dst, 0)
		s.close()
		return dst
	}
	k := min(bits.Len(uint(c.n))-5, firstBits)
	low, shift := c.spread(k)
	ends := make([]uint32, 1<<k)
	c.scatter(dst, ends, low, shift)
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

func (c *collector) copyBlock(dst []entry, b shifted) int {
	for i := range b.entries {
		dst[i] = b.entries[i]
		dst[i].region += b.base
	}
	return len(b.entries)
}

// spread returns the smallest prefix and the shift that maps the distances from
// it to fewer than 1<<k buckets.
func (c *collector) spread(k int) (low uint64, shift uint) {
	low, high := ^uint64(0), uint64(0)
	for _, b := range c.blocks {
		for i := range b.entries {
			p := b.entries[i].prefix
			low, high = min(low, p), max(high, p)
		}
	}
	return low, uint(max(0, bits.Len64(high-low)-k))
}

// scatter moves every entry to its bucket and leaves the bucket ends in ends.
func (c *collector) scatter(dst []entry, ends []uint32, low uint64, shift uint) {
	for _, b := range c.blocks {
		for i := range b.entries {
			ends[(b.entries[i].prefix-low)>>(shift&63)]++
		}
	}
	sum := uint32(0)
	for i, n := range ends {
		ends[i] = sum
		sum += n
	}
	for _, b := range c.blocks {
		for i := range b.entries {
			e := b.entries[i]
			e.region += b.base
			at := &ends[(e.prefix-low)>>(shift&63)]
			dst[*at] = e
			*at++
		}
	}
}
