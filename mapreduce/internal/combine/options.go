package combine

import (
	"fmt"

	"github.com/tarry-mr/tarry/mapreduce/internal/segment"
)

// Options configure a [Table] or a [Merge].
type Options struct {
	segment.Resources
	// Partitions is the number of partitions, at least 1. A Merge ignores it.
	Partitions int
	// Partition chooses the partition of a key; nil means segment.PartitionOf. It is called about
	// once per distinct key.
	Partition func(key []byte) int
	// Sum means that Combine is +; the table adds values without calling it. It requires CanSum.
	Sum bool
	// Width is the size of all keys in bytes, 1 to 8, if they are big-endian integers of
	// EmitNumbers; otherwise 0. The table then tries a dense array, unless values hold pointers or
	// have size 0.
	Width int
	// Distinct is the expected number of distinct keys, such as that of another map of the job; 0
	// if unknown. It only sizes the first table. Growing to that size costs up to a fifth of a
	// WordCount of real text.
	Distinct int
	// Expected is the maximum number of distinct keys, such as the records of a dataset; 0 if
	// unknown. With it the table can choose a dense array before it has seen enough keys.
	Expected int
	// Stored is as in segment.Config.
	Stored bool

	fanIn      int   // as segment.MergeConfig.FanIn
	leastCells int   // cells that a table may have regardless of the budget; 0: minCells
	largest    int64 // maximum size of a key, and of a key with its encoded value; 0: as the budget says
}

const (
	// minCells is a size that needs no budget, so that few keys do not make a spill file each time.
	minCells = 1 << 14
	// minKeyBytes is the size per cell, of minCells, that long keys may have for the same reason.
	// The places of a spill's runs take memory, too: with few keys more than the spill frees.
	minKeyBytes = 32
)

// complete replaces zero fields by their defaults. It panics if Width is invalid.
func (o *Options) complete() {
	if o.Width < 0 || o.Width > 8 {
		panic(fmt.Sprintf("combine: keys of %d bytes are no numbers", o.Width))
	}
	if o.leastCells == 0 {
		o.leastCells = minCells
	}
	if o.largest == 0 {
		o.largest = o.Budget.Largest()
	}
}

// partition returns the partition of a key, by Partition or segment.PartitionOf.
func (o *Options) partition(key []byte) int {
	if o.Partition != nil {
		return o.Partition(key)
	}
	return segment.PartitionOf(key, o.Partitions)
}

// checkPair returns an error if a key and its encoded value exceed the maximum size of a record.
func (o *Options) checkPair(key, value []byte) error {
	return o.Budget.CheckHeld("a key with its combined value", int64(len(key)+len(value)), o.largest)
}
