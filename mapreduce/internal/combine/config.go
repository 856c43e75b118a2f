package combine

import (
	"encoding/binary"
	"fmt"
	"reflect"
	"unsafe"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
	"github.com/tarry-mr/tarry/mapreduce/internal/segment"
)

// Config configures a [Table] or a [Merge].
type Config[V any] struct {
	Options
	// Combine folds two values of one key, the earlier first. It must be
	// associative and commutative. Required unless Sum is set.
	Combine func(a, b V) V
	// Append appends the encoding of a value for a spill run, Decode reads it
	// back; Decode must not keep b. Both are required unless Sum is set, which has its own.
	Append func(dst []byte, v V) []byte
	Decode func(b []byte) (V, error)
}

// Options are what of a Config does not depend on the type of the values.
type Options struct {
	// Partitions is the number of partitions, at least 1. A Merge ignores it.
	Partitions int
	// Partition chooses the partition of a key; nil means segment.PartitionOf.
	// It is called about once a distinct key.
	Partition func(key []byte) int
	// Sum says that Combine is +: values are added without a call. It needs CanSum.
	Sum bool
	// Width is the number of bytes of all keys if they are numbers, big-endian and emitted by
	// a NumberEmitter, 1 to 8; else 0. It has no effect if V holds pointers or has no size.
	Width int
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
	if c.Sum && !CanSum(reflect.TypeFor[V]()) {
		panic(fmt.Sprintf("combine: Sum needs an integer value of 4 or 8 bytes, not %T", *new(V)))
	}
	if !c.Sum && (c.Combine == nil || c.Append == nil || c.Decode == nil) {
		panic("combine: Combine, Append or Decode is missing")
	}
}

// partition returns the partition of a key.
func (o *Options) partition(key []byte) int {
	if o.Partition != nil {
		return o.Partition(key)
	}
	return segment.PartitionOf(key, o.Partitions)
}

// checkPair refuses a key whose value has grown too large to be held with it.
func (o *Options) checkPair(key, value []byte) error {
	return o.Budget.CheckHeld("a key with its combined value", int64(len(key)+len(value)), o.largest)
}

// fold combines two values, the earlier first.
func (c *Config[V]) fold(a, b V) V {
	if c.Sum {
		addWord(&a, wordOf(&b))
		return a
	}
	return c.Combine(a, b)
}

// valueForm is what is known of values whatever their type: how they lie in memory, and how they are
// written.
type valueForm struct {
	size    int  // bytes
	sum     bool // they are added
	offHeap bool // they hold no pointers
	encode  func(dst []byte, v unsafe.Pointer) []byte
	decode  func(b []byte, v unsafe.Pointer) error
}

func formOf[V any](c *Config[V]) valueForm {
	f := valueForm{size: sizeOf[V](), sum: c.Sum, offHeap: !hasPointers(reflect.TypeFor[V]())}
	if c.Append == nil || c.Decode == nil {
		f.encode, f.decode = f.encodeSum, f.decodeSum
		return f
	}
	f.encode = func(dst []byte, v unsafe.Pointer) []byte { return c.Append(dst, *(*V)(v)) }
	f.decode = func(b []byte, v unsafe.Pointer) (err error) {
		*(*V)(v), err = c.Decode(b)
		return err
	}
	return f
}

// encodeSum and decodeSum are for sums without an encoding of their own.
func (f valueForm) encodeSum(dst []byte, v unsafe.Pointer) []byte {
	if f.size == 8 {
		return binary.LittleEndian.AppendUint64(dst, wordAt(v, f.size))
	}
	return binary.LittleEndian.AppendUint32(dst, uint32(wordAt(v, f.size)))
}

func (f valueForm) decodeSum(b []byte, v unsafe.Pointer) error {
	switch {
	case len(b) != f.size:
		return segment.ErrCorrupt
	case f.size == 8:
		setWordAt(v, f.size, binary.LittleEndian.Uint64(b))
	default:
		setWordAt(v, f.size, uint64(binary.LittleEndian.Uint32(b)))
	}
	return nil
}

// read decodes a value that was spilled or packed.
func (f *valueForm) read(b []byte, v unsafe.Pointer) error {
	if err := f.decode(b, v); err != nil {
		return fmt.Errorf("combine: a spilled value of %d bytes: %w", len(b), err)
	}
	return nil
}
