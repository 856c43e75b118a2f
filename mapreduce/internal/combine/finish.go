package combine

import (
	"fmt"
	"io"
	"sync/atomic"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
	"github.com/tarry-mr/tarry/mapreduce/internal/segment"
)

// store owns the memory of a table's output. Its segments and the merges that read them share it;
// the last drop frees it.
type store struct {
	budget  *memory.Budget
	pool    *memory.Pool
	slabs   []memory.Slab
	charged int64
	refs    atomic.Int64
}

func newStore(o *Options, slabs []memory.Slab, charged int64) *store {
	s := &store{budget: o.Budget, pool: o.Pool, slabs: slabs, charged: charged}
	s.refs.Store(1)
	return s
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

// Segment holds the combined records of one partition from one attempt: its spills, in sorted runs,
// and the entries of its last table, packed or as a dense array. It is immutable and safe for
// concurrent readers.
type Segment struct {
	files    *segment.Segment // what was spilled
	dense    *denseSegment    // may be nil
	blocks   [][]byte         // packed
	store    *store
	records  int64
	bytes    int64
	inMemory int64 // records in blocks and in dense
}

// Records returns the number of records. A key counts again in each run that was spilled.
func (s *Segment) Records() int64 { return s.records }

// Bytes returns the size of all keys and values. A value in memory counts with its size in memory,
// a spilled one with that of its encoding.
func (s *Segment) Bytes() int64 { return s.bytes }

// Release gives up the caller's reference. Memory and files are freed when no merge reads them. It
// must be called exactly once.
func (s *Segment) Release() {
	s.files.Release()
	if s.store != nil {
		s.store.drop()
	}
	s.dense, s.blocks, s.store = nil, nil, nil
}

// OfFiles returns a segment that reads s, spilled records of another process. The caller must
// release it, which releases s.
func OfFiles(s *segment.Segment) *Segment {
	return &Segment{files: s, records: s.Records(), bytes: s.Bytes()}
}

// Export writes the segment for another process. It fails unless the table had Options.Stored.
func (s *Segment) Export(w io.Writer) error {
	if s.store != nil {
		return segment.ErrNotStored
	}
	return s.files.Export(w)
}

// Finish ends the attempt and returns one segment per partition, which the caller must release.
// Afterwards the table can only be closed.
func (t *Table) Finish() ([]*Segment, segment.Stats, error) {
	t.acc.gather(nil)
	t.acc.stats.Bytes += t.acc.stats.Records * int64(t.acc.dense.width+int(t.acc.form.size))
	out := make([]*Segment, t.acc.opt.Partitions)
	for p := range out {
		out[p] = &Segment{}
	}
	if t.acc.err == nil && t.acc.len() > 0 {
		t.acc.hand(out)
	}
	if t.acc.err != nil {
		t.Close()
		return nil, t.acc.stats, fmt.Errorf("combine: %w", t.acc.err)
	}
	for p, s := range out {
		s.files = segment.OfSpills(t.acc.spills, p)
		s.records += s.files.Records()
		s.bytes += s.files.Bytes()
		t.acc.stats.Output += s.records
		t.acc.stats.OutputBytes += s.bytes
	}
	stats := t.acc.stats
	t.Close()
	return out, stats, nil
}

// hand sets the segments out to the table's pairs in memory: views of the dense array or packed
// copies. If the budget refuses, it spills the pairs. Until the table is freed, its charge pays for
// the copies.
func (a *accumulator) hand(out []*Segment) {
	if a.opt.Stored {
		a.drain()
		return
	}
	var views []*denseSegment
	pairs, d := a.keys(), a.dense
	if a.viewsDense() {
		views, pairs.dense = a.denseSegments(), places{}
	}
	p := a.pack(pairs)
	s := newStore(&a.opt, p.slabs, 0)
	defer s.drop()
	if a.err != nil {
		return
	}
	if views != nil {
		p.bytes += a.viewsBytes()
	}
	if !s.budget.Keep(p.bytes) {
		a.drain()
		return
	}
	if views != nil {
		s.slabs, a.dense.slab = append(s.slabs, d.slab), memory.Slab{}
	}
	a.free()
	s.budget.Acquire(p.bytes)
	s.charged = p.bytes
	for i, x := range out {
		l := &p.parts[i]
		x.blocks, x.records, x.bytes = l.full, l.n, l.bytes
		if views != nil {
			if n := int64(views[i].count()); n > 0 {
				x.dense, x.records = views[i], x.records+n
				x.bytes += n * int64(d.width+int(a.form.size))
			}
		}
		if x.inMemory = x.records; x.records > 0 {
			x.store = s
			s.refs.Add(1)
		}
	}
}
