package combine

import (
	"encoding/binary"
	"fmt"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
	"github.com/tarry-mr/tarry/mapreduce/internal/segment"
)

// Config configures a [Table] or a [Merge].
type Config[V any] struct {
	// Partitions is the number of partitions, at least 1. A Merge ignores it.
	Partitions int
	// Partition chooses the partition of a key; nil means segment.PartitionOf.
	// It is called about once a distinct key.
	Partition func(key []byte) int
	// Combine folds two values of one key, the earlier first. It must be
	// associative and commutative. Required unless Sum is set.
	Combine func(a, b V) V
	// Sum says that Combine is +: values are added without a call. It needs CanSum.
	Sum bool
	// Width is the number of bytes of all keys if they are numbers, big-endian and emitted by
	// a NumberEmitter, 1 to 8; else 0. It has no effect if V holds pointers or has no size.
	Width int
	// Append appends the encoding of a value for a spill run, Decode reads it
	// back; Decode must not keep b. Without both (and without Sum, which has its
	// own) nothing can spill, whatever the budget.
	Append func(dst []byte, v V) []byte
	Decode func(b []byte) (V, error)
	// Distinct is the expected number of distinct keys, such as those of another map of the
	// job; 0 if unknown. It only sizes the first table: growing it to its size costs up to a
	// fifth of a WordCount of real text.
	Distinct int
	// Expected is how many distinct keys there may be, such as the records of a dataset; 0 if
	// unknown. The dense array is made for as many, if their keys lie close enough to each other.
	Expected int
	// Budget pays for tables, arenas and entries; nil means no limit.
	Budget *memory.Budget
	// Pool supplies the buffers; nil means fresh ones each time.
	Pool *memory.Pool
	// Files and SpillDir are as in segment.Config.
	Files    *segment.Files
	SpillDir string
	// Stored is as in segment.Config; values must have an encoding.
	Stored bool

	fanIn   int   // as segment.MergeConfig.FanIn
	least   int   // cells a table may have whatever the budget says; 0: leastCells
	largest int64 // bytes of a key, and of a key with its encoded value; 0: what the budget says
}

// check panics if the configuration cannot work for V.
func (c *Config[V]) check() {
	if c.Width < 0 || c.Width > 8 {
		panic(fmt.Sprintf("combine: keys of %d bytes are no numbers", c.Width))
	}
	if c.Sum && !CanSum[V]() {
		panic(fmt.Sprintf("combine: Sum needs an integer value of 4 or 8 bytes, not %T", *new(V)))
	}
	if !c.Sum && c.Combine == nil {
		panic("combine: Combine is missing")
	}
}

// spills reports whether values can be encoded.
func (c *Config[V]) spills() bool { return c.Sum || c.Append != nil && c.Decode != nil }

// partition returns the partition of a key.
func (c *Config[V]) partition(key []byte) int {
	if c.Partition != nil {
		return c.Partition(key)
	}
	return segment.PartitionOf(key, c.Partitions)
}

// fold combines two values, the earlier first.
func (c *Config[V]) fold(a, b V) V {
	if c.Sum {
		addWord(&a, wordOf(&b))
		return a
	}
	return c.Combine(a, b)
}

// checkPair refuses a key whose value has grown too large to be held with it.
func (c *Config[V]) checkPair(key, value []byte) error {
	return c.Budget.CheckHeld("a key with its combined value", int64(len(key)+len(value)), c.largest)
}

// encode appends the encoding of a value; sums have their own.
func (c *Config[V]) encode(dst []byte, v *V) []byte {
	switch {
	case c.Append != nil:
		return c.Append(dst, *v)
	case sizeOf[V]() == 8:
		return binary.LittleEndian.AppendUint64(dst, wordOf(v))
	default:
		return binary.LittleEndian.AppendUint32(dst, uint32(wordOf(v)))
	}
}

func (c *Config[V]) decode(b []byte) (v V, err error) {
	switch {
	case c.Decode != nil:
		v, err = c.Decode(b)
	case sizeOf[V]() == 8 && len(b) == 8:
		setWord(&v, binary.LittleEndian.Uint64(b))
	case sizeOf[V]() == 4 && len(b) == 4:
		setWord(&v, uint64(binary.LittleEndian.Uint32(b)))
	default:
		err = segment.ErrCorrupt
	}
	if err != nil {
		return v, fmt.Errorf("combine: a spilled value of %d bytes: %w", len(b), err)
	}
	return v, nil
}
