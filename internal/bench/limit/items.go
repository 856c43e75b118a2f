package limit

import "slices"

// item stands for a record while records are sorted: the first bytes of its key, and a reference.
type item struct {
	prefix uint64 // eight key bytes, big-endian, padded with zeros
	ref    uint64 // the record, by the number that its source gives it
}

// source is a set of records to sort, divided into blocks that different goroutines read.
type source interface {
	// blocks returns how many blocks there are.
	blocks() int
	// items appends the items of one block to buf.
	items(block int, buf []item) []item
	// deeper returns the eight key bytes that start at depth, as in item, and how many key bytes
	// there are from depth on: zero or less when the key ends there or before.
	deeper(ref uint64, depth int) (prefix uint64, rest int)
}

const (
	topBits    = 16
	topBuckets = 1 << topBits
)

// sortItems returns the items of all records in key order; records of equal keys stay in input
// order. The caller frees the vector.
//
// First each goroutine scatters the items of some blocks into buckets by their first two key bytes.
// Then the goroutines sort the buckets, each the next one: see radixSorter.
func sortItems(src source, goroutines int) vector[item] {
	// place of the goroutine's next item of each bucket
	next := make([][topBuckets]uint32, goroutines)
	eachItem(src, goroutines, func(g int, items []item) {
		for i := range items {
			next[g][items[i].prefix>>(64-topBits)]++
		}
	})
	var starts [topBuckets + 1]uint32
	total := uint32(0)
	for b := range topBuckets {
		starts[b] = total
		for g := range next {
			next[g][b], total = total, total+next[g][b]
		}
	}
	starts[topBuckets] = total
	sorted := newVector[item](int(total))
	eachItem(src, goroutines, func(g int, items []item) {
		places := &next[g]
		for i := range items {
			b := items[i].prefix >> (64 - topBits)
			sorted.of[places[b]] = items[i]
			places[b]++
		}
	})
	scratch := make([][]item, goroutines)
	chunks(topBuckets, 1, goroutines, func(g, b, _ int) {
		items := sorted.of[starts[b]:starts[b+1]]
		scratch[g] = slices.Grow(scratch[g][:0], len(items))
		radixSorter{src}.sort(task{items: items, shift: 64 - topBits - radixBits}, scratch[g][:len(items)])
	})
	return sorted
}

// eachItem calls visit with the items of each block; each goroutine reads consecutive blocks.
func eachItem(src source, goroutines int, visit func(g int, items []item)) {
	blocks := src.blocks()
	parallel(goroutines, func(g int) {
		var buf []item
		for b := blocks * g / goroutines; b < blocks*(g+1)/goroutines; b++ {
			buf = src.items(b, buf[:0])
			visit(g, buf)
		}
	})
}
