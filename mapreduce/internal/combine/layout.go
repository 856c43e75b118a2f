package combine

import (
	"encoding/binary"
	"slices"
	"sync"

	"github.com/tarry-mr/tarry/mapreduce/internal/segment"
)

// layout assigns integer keys of a range to partitions by bitmaps, as segment.PartitionOf does.
type layout struct {
	width, partitions int
	base              uint64
	places            int
	masks             [][]uint64 // by partition: bitmap of its places
}

const (
	// layoutBytes is the maximum size of a layout, and layoutsKept the number of layouts that are
	// cached. Both are small, because no budget is charged.
	layoutBytes = 2 << 20
	layoutsKept = 4
	// maxMisses is the number of keys without a layout after which Partitions hashes all keys.
	maxMisses = 16
)

// layouts caches the latest layouts, because iterations over the same keys need the same ones.
var layouts struct {
	mu   sync.Mutex
	list []*layout // most recently used first
}

// layoutOf returns the layout of keys base..base+places-1, cached or new; nil if it would be too
// large. base and places are multiples of 64.
func layoutOf(width int, base uint64, places, partitions int) *layout {
	if places/8*partitions > layoutBytes {
		return nil
	}
	same := func(l *layout) bool {
		return l.width == width && l.base == base && l.places == places && l.partitions == partitions
	}
	if l := cachedLayout(same); l != nil {
		return l
	}
	l := newLayout(width, base, places, partitions)
	layouts.mu.Lock()
	defer layouts.mu.Unlock()
	layouts.list = slices.Insert(layouts.list, 0, l)[:min(len(layouts.list)+1, layoutsKept)]
	return l
}

// cachedLayout returns the first cached layout for which is reports true, or nil. It becomes the
// most recently used one.
func cachedLayout(is func(l *layout) bool) *layout {
	layouts.mu.Lock()
	defer layouts.mu.Unlock()
	i := slices.IndexFunc(layouts.list, is)
	if i < 0 {
		return nil
	}
	l := layouts.list[i]
	layouts.list = slices.Insert(slices.Delete(layouts.list, i, i+1), 0, l)
	return l
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

// Partitions finds the partition of integer keys. It uses a table's cached layout, if there is one,
// instead of hashing each key. One goroutine may use it.
type Partitions struct {
	width, partitions int
	of                *layout // of the previous number; may be nil
	misses            int     // lookups without a layout
}

// NewPartitions returns Partitions for keys that are numbers of width bytes.
func NewPartitions(width, partitions int) *Partitions {
	return &Partitions{width: width, partitions: partitions}
}

// Places returns a bitmap of the keys in partition p: bit i stands for key base + i. It is of a
// cached layout that contains x, and nil if there is none.
func (n *Partitions) Places(p int, x uint64) (base uint64, places []uint64) {
	if n.of == nil || x-n.of.base >= uint64(n.of.places) {
		if n.of = n.find(x); n.of == nil {
			return 0, nil
		}
	}
	return n.of.base, n.of.masks[p]
}

// find returns a cached layout that contains key x, or nil; after maxMisses failures always nil.
func (n *Partitions) find(x uint64) *layout {
	if n.misses == maxMisses {
		return nil
	}
	l := cachedLayout(func(l *layout) bool {
		return l.width == n.width && l.partitions == n.partitions && x-l.base < uint64(l.places)
	})
	if l == nil {
		n.misses++
	}
	return l
}

// Of returns the partition of key x, which it hashes.
func (n *Partitions) Of(x uint64) int {
	var key [8]byte
	binary.BigEndian.PutUint64(key[:], x<<(64-8*n.width))
	return segment.PartitionOf(key[:n.width], n.partitions)
}
