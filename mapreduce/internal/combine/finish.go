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
	s.budget.ReleaseKept(s.charged)
}

// Segment holds the combined records of one partition from one attempt: what
// the attempt spilled, in sorted runs, and its last table's entries, unsorted, or its dense array.
// It is immutable and safe for concurrent readers.
type Segment struct {
	files    *segment.Segment // nil: nothing was spilled
	dense    *denseSegment    // nil: keys are in blocks
	blocks   [][]byte
	store    *store
	records  int64
	bytes    int64
	inMemory int64 // records in blocks, or in dense
}

// Records returns the number of records: distinct keys, or more if the attempt
// spilled.
func (s *Segment) Records() int64 { return s.records }

// Bytes returns the amount a shuffle moves: key bytes, and for each value its
// size in memory, or encoded if it was spilled.
func (s *Segment) Bytes() int64 { return s.bytes }

// Release drops the caller's hold on the segment; its memory or file goes when
// no merge reads it any more. To be called exactly once.
func (s *Segment) Release() {
	if s.files != nil {
		s.files.Release()
	}
	if s.store != nil {
		s.store.drop()
	}
	s.files, s.dense, s.blocks, s.store = nil, nil, nil, nil
}

// OfFiles is a segment of what another process has spilled, and exported. The segment is the
// caller's to release.
func OfFiles(s *segment.Segment) *Segment {
	return &Segment{files: s, records: s.Records(), bytes: s.Bytes()}
}

// Export is as that of [segment.Segment], for a table that was Stored.
func (s *Segment) Export(w io.Writer) error {
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
func (t *Table) Finish() ([]*Segment, segment.Stats, error) {
	t.acc.flush()
	t.acc.stats.Bytes += t.acc.stats.Records * int64(t.acc.dense.width+int(t.acc.form.size))
	out := make([]*Segment, t.acc.opt.Partitions)
	for p := range out {
		out[p] = &Segment{}
	}
	if t.acc.err == nil && t.acc.len() > 0 {
		t.hand(out)
	}
	if t.acc.err != nil {
		t.Close()
		return nil, t.acc.stats, fmt.Errorf("combine: %w", t.acc.err)
	}
	for p, s := range out {
		if len(t.acc.spills) > 0 {
			s.files = segment.OfSpills(t.acc.spills, p)
			s.records += s.files.Records()
			s.bytes += s.files.Bytes()
		}
		t.acc.stats.Output += s.records
		t.acc.stats.OutputBytes += s.bytes
	}
	stats := t.acc.stats
	t.Close()
	return out, stats, nil
}

// hand turns the table into packed segments if the budget lets them stay, or
// spills it. Until the table is gone, its charge pays for the copy.
func (t *Table) hand(out []*Segment) {
	if t.acc.opt.Stored {
		t.acc.drain()
		return
	}
	if t.acc.handDense(out) {
		return
	}
	d := t.acc.pack(t.acc.keys())
	s := &store{budget: t.acc.opt.Budget, pool: t.acc.opt.Pool, slabs: d.slabs}
	s.refs.Store(1)
	defer s.drop()
	if t.acc.err != nil {
		return
	}
	if !s.budget.Keep(d.bytes) {
		t.acc.drain()
		return
	}
	t.acc.free()
	s.budget.Acquire(d.bytes)
	s.charged = d.bytes
	for p := range out {
		if l := &d.parts[p]; l.n > 0 {
			s.refs.Add(1)
			*out[p] = Segment{blocks: l.full, store: s, records: l.n, bytes: l.bytes, inMemory: l.n}
		}
	}
}
