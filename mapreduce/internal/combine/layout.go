package combine

import (
	"encoding/binary"
	"slices"
	"sync"

	"github.com/tarry-mr/tarry/mapreduce/internal/segment"
)

// layout says in which of some partitions each of a range of numbers lies, as segment.PartitionOf
// has it.
type layout struct {
	width, partitions int
	base              uint64
	places            int
	masks             [][]uint64 // by partition: bits of the places in it
}

const (
	// layoutBytes is the most bytes of a layout, of which so many are remembered: no budget counts
	// them.
	layoutBytes = 2 << 20
	layoutsKept = 4
	// mostMisses is how many numbers without a layout are looked up before the rest are hashed.
	mostMisses = 16
)

// layouts are those that were asked for last: rounds over the same keys ask for the same ones.
var layouts struct {
	mu   sync.Mutex
	list []*layout // the one asked for last is the first
}

// layoutOf returns the layout of places numbers from base on, both multiples of 64; nil if it would
// be too large.
func layoutOf(width int, base uint64, places, partitions int) *layout {
	if places/8*partitions > layoutBytes {
		return nil
	}
	if l := rememberedLayout(width, base, places, partitions); l != nil {
		return l
	}
	l := newLayout(width, base, places, partitions)
	layouts.mu.Lock()
	defer layouts.mu.Unlock()
	layouts.list = slices.Insert(layouts.list, 0, l)[:min(len(layouts.list)+1, layoutsKept)]
	return l
}

func rememberedLayout(width int, base uint64, places, partitions int) *layout {
	layouts.mu.Lock()
	defer layouts.mu.Unlock()
	for i, l := range layouts.list {
		if l.width == width && l.base == base && l.places == places && l.partitions == partitions {
			copy(layouts.list[1:i+1], layouts.list[:i])
			layouts.list[0] = l
			return l
		}
	}
	return nil
}

func newLayout(width int, base uint64, places, partitions int) *layout {
	l := &layout{width: width, partitions: partitions, base: base, places: places, masks: make([][]uint64, partitions)}
	for p := range l.masks {
		l.masks[p] = make([]uint64, places/64)
	}
	var key [8]byte
	for i := range places {
		binary.BigEndian.PutUint64(key[:], (base+uint64(i))<<(64-8*width))
		l.masks[segment.PartitionOf(key[:width], partitions)][i/64] |= 1 << (i % 64)
	}
	return l
}

// Partitions tells in which partition numbers lie; those of a range that a table has been asked for
// cost nothing to hash. It serves one goroutine.
type Partitions struct {
	width, partitions int
	of                *layout // of the number before; may be nil
	misses            int     // numbers that had none
}

// NewPartitions is for keys that are numbers of width bytes.
func NewPartitions(width, partitions int) *Partitions {
	return &Partitions{width: width, partitions: partitions}
}

// Places returns bits that tell of a range of numbers, from base on, which of them lie in partition
// p; nil, if no such range with x is known.
func (n *Partitions) Places(p int, x uint64) (base uint64, places []uint64) {
	if n.of == nil || x-n.of.base >= uint64(n.of.places) {
		if n.of = n.find(x); n.of == nil {
			return 0, nil
		}
	}
	return n.of.base, n.of.masks[p]
}

// find returns a layout that is known and has a place for x.
func (n *Partitions) find(x uint64) *layout {
	if n.misses == mostMisses {
		return nil
	}
	l := layoutWith(n.width, n.partitions, x)
	if l == nil {
		n.misses++
	}
	return l
}

// layoutWith returns a layout that was asked for, of those with a place for x; nil if there is
// none.
func layoutWith(width, partitions int, x uint64) *layout {
	layouts.mu.Lock()
	defer layouts.mu.Unlock()
	for _, l := range layouts.list {
		if l.width == width && l.partitions == partitions && x-l.base < uint64(l.places) {
			return l
		}
	}
	return nil
}

// Of is the partition of a number.
func (n *Partitions) Of(x uint64) int {
	var key [8]byte
	binary.BigEndian.PutUint64(key[:], x<<(64-8*n.width))
	return segment.PartitionOf(key[:n.width], n.partitions)
}
