package segment

import "github.com/tarry-mr/tarry/mapreduce/internal/memory"

// collector sorts the entries of several indexes as one list. Equal keys stay in the order in which
// the indexes were added.
type collector struct {
	Sorting
	blocks []block
}

// add adds an index; base is the number of its store's first region in the list for sortInto.
func (c *collector) add(x *index, base int) {
	if x.n == 0 {
		return
	}
	if c.N == 0 {
		c.Low = x.low
	}
	for _, b := range x.blocks {
		b.base = uint16(base)
		c.blocks = append(c.blocks, b)
	}
	c.N += x.n
	c.Low, c.High = min(c.Low, x.low), max(c.High, x.high)
}

// sortInto returns all entries in order, in the slab, which must have room for N entries.
func (c *collector) sortInto(regions regions, pool *memory.Pool, slab memory.Slab) []entry {
	c.Regions, c.Pool = regions, pool
	return c.Sort(func() Reader { return &decoder{rest: c.blocks} }, slab)
}
