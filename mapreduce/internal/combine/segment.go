package combine

import (
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
