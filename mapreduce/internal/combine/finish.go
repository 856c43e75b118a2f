package combine

import (
	"fmt"
	"io"
	"sync/atomic"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
	"github.com/tarry-mr/tarry/mapreduce/internal/segment"
)

// store owns the memory of a table's packed output. It is shared by the
// segments and their readers, the last of which frees it.
type store struct {
	budget  *memory.Budget
	pool    *memory.Pool
	slabs   []memory.Slab
	charged int64
	kept    bool
	refs    atomic.Int64
}

func (s *store) drop() {
	if s.refs.Add(-1) > 0 {
		return
	}
	for _, b := range s.slabs {
		s.pool.Put(b)
	}
	s.slabs = nil
	if s.kept {
		s.budget.ReleaseKept(s.charged)
	} else {
		s.budget.Release(s.charged)
	}
}

// Segment holds the combined records of one partition from one attempt: what
// the attempt spilled, in sorted runs, and its last table's entries, unsorted, or its dense array.
// It is immutable and safe for concurrent readers.
type Segment[V any] struct {
	files    *segment.Segment // nil: nothing was spilled
	dense    *denseSegment[V] // nil: keys are in blocks
	blocks   [][]byte
	values   []V // of the entries in blocks, if V holds pointers and has no encoding
	store    *store
	records  int64
	bytes    int64
	inMemory int64 // records in blocks, or in dense
}

// Records returns the number of records: distinct keys, or more if the attempt
// spilled.
func (s *Segment[V]) Records() int64 { return s.records }

// Bytes returns the amount a shuffle moves: key bytes, and for each value its
// size in memory, or encoded if it was spilled.
func (s *Segment[V]) Bytes() int64 { return s.bytes }

// Release drops the caller's hold on the segment; its memory or file goes when
// no merge reads it any more. To be called exactly once.
func (s *Segment[V]) Release() {
	if s.files != nil {
		s.files.Release()
	}
	if s.store != nil {
		s.store.drop()
	}
	s.files, s.dense, s.blocks, s.values, s.store = nil, nil, nil, nil, nil
}

// OfFiles is a segment of what another process has spilled, and exported. The segment is the
// caller's to release.
func OfFiles[V any](s *segment.Segment) *Segment[V] {
	return &Segment[V]{files: s, records: s.Records(), bytes: s.Bytes()}
}

// Export is as that of [segment.Segment], for a table that was Stored.
func (s *Segment[V]) Export(w io.Writer) error {
	switch {
	case s.store != nil:
		return segment.ErrNotStored
	case s.files == nil:
		return new(segment.Segment).Export(w)
	}
	return s.files.Export(w)
}

// Finish ends the attempt: one segment per partition, each to be released by
// the caller. The table can only be closed afterwards.
func (t *Table[V]) Finish() ([]*Segment[V], segment.Stats, error) {
	t.flush()
	t.stats.Bytes += t.stats.Records * int64(t.dense.width+sizeOf[V]())
	out := make([]*Segment[V], t.cfg.Partitions)
	for p := range out {
		out[p] = &Segment[V]{}
	}
	if t.err == nil && t.len() > 0 {
		t.hand(out)
	}
	if t.err != nil {
		t.Close()
		return nil, t.stats, fmt.Errorf("combine: %w", t.err)
	}
	for p, s := range out {
		if len(t.spills) > 0 {
			s.files = segment.OfSpills(t.spills, p)
			s.records += s.files.Records()
			s.bytes += s.files.Bytes()
		}
		t.stats.Output += s.records
		t.stats.OutputBytes += s.bytes
	}
	stats := t.stats
	t.Close()
	return out, stats, nil
}

// hand turns the table into packed segments if the budget lets them stay, or
// spills it. Until the table is gone, its charge pays for the copy.
func (t *Table[V]) hand(out []*Segment[V]) {
	if t.cfg.Stored {
		t.drain()
		return
	}
	if t.handDense(out) {
		return
	}
	d := t.pack()
	s := &store{budget: t.cfg.Budget, pool: t.cfg.Pool, slabs: d.slabs}
	s.refs.Store(1)
	defer s.drop()
	if t.err != nil {
		return
	}
	if s.kept = s.budget.Keep(d.bytes); !s.kept && t.cfg.spills() {
		t.drain()
		return
	}
	t.hash.close()
	t.dropDense()
	s.budget.Acquire(d.bytes)
	s.charged = d.bytes
	for p := range out {
		if l := &d.parts[p]; l.n > 0 {
			s.refs.Add(1)
			*out[p] = Segment[V]{
				blocks: l.full, values: l.values, store: s, records: l.n, bytes: l.bytes,
				inMemory: l.n,
			}
		}
	}
}
