package combine

import (
	"fmt"
	"sync/atomic"
	"unsafe"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
	"github.com/tarry-mr/tarry/mapreduce/internal/segment"
)

// store owns the memory of a table's output: blocks of cells and the arena of
// long keys. It is shared by the segments and their readers, the last of which
// frees it.
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
// the attempt spilled, in sorted runs, and its last table's entries, unsorted.
// It is immutable and safe for concurrent readers.
type Segment[V any] struct {
	files   []*segment.Segment
	blocks  [][]cell[V]
	arena   []byte
	store   *store
	records int64
	bytes   int64
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
	for _, f := range s.files {
		f.Release()
	}
	if s.store != nil {
		s.store.drop()
	}
	s.files, s.blocks, s.arena, s.store = nil, nil, nil, nil
}

const (
	firstBlock = 4 << 10
	largeBlock = 256 << 10
)

// divided is a table's content by partition, in the order of the table.
type divided[V any] struct {
	parts []part[V]
	slabs []memory.Slab
	bytes int64 // of memory
}

type part[V any] struct {
	full  [][]cell[V]
	cur   []cell[V]
	n     int
	bytes int64
}

// divide copies all entries into a list for each partition.
func (t *Table[V]) divide() divided[V] {
	d := divided[V]{parts: make([]part[V], t.cfg.Partitions)}
	var buf [inlineKey]byte
	for i := range t.c.cells {
		x := &t.c.cells[i]
		if x.mark == 0 {
			continue
		}
		key := t.c.key(x, &buf)
		var p int
		if t.cfg.Partition != nil {
			p = t.cfg.Partition(key)
		} else {
			p = segment.PartitionOf(key, t.cfg.Partitions)
		}
		l := &d.parts[p]
		if len(l.cur) == cap(l.cur) {
			d.addBlock(l, &t.c)
		}
		l.cur = append(l.cur, *x)
		l.n++
		l.bytes += int64(len(key))
	}
	for i := range d.parts {
		l := &d.parts[i]
		l.bytes += int64(l.n) * int64(unsafe.Sizeof(*new(V)))
		if len(l.cur) > 0 {
			l.full, l.cur = append(l.full, l.cur), nil
		}
	}
	return d
}

func (d *divided[V]) addBlock(l *part[V], c *cells[V]) {
	if l.cur != nil {
		l.full = append(l.full, l.cur)
	}
	size := min(max(firstBlock, 2*cap(l.cur)*cellSize[V]()), largeBlock)
	if n := max(1, size/cellSize[V]()); !c.offHeap || size < cellSize[V]() {
		l.cur = make([]cell[V], 0, n)
		d.bytes += int64(n * cellSize[V]())
		return
	}
	s := c.pool.Get(size)
	d.slabs = append(d.slabs, s)
	d.bytes += int64(len(s.Bytes))
	l.cur = memory.Cast[cell[V]](s.Bytes)[:0]
}

// Finish ends the attempt: one segment per partition, each to be released by
// the caller. The table can only be closed afterwards.
func (t *Table[V]) Finish() ([]*Segment[V], segment.Stats, error) {
	t.flush()
	t.flushLong()
	t.stats.Bytes += t.stats.Records * int64(unsafe.Sizeof(*new(V)))
	out := make([]*Segment[V], t.cfg.Partitions)
	for p := range out {
		out[p] = &Segment[V]{}
	}
	t.cfg.Hint.learn(t.c.n)
	if t.err == nil && t.c.n > 0 {
		t.hand(out)
	}
	if t.err != nil {
		t.Close()
		return nil, t.stats, fmt.Errorf("combine: %w", t.err)
	}
	for _, s := range t.spills {
		for p, x := range s {
			out[p].files = append(out[p].files, x)
			out[p].records += x.Records()
			out[p].bytes += x.Bytes()
		}
	}
	for _, s := range out {
		t.stats.Output += s.records
		t.stats.OutputBytes += s.bytes
	}
	t.spills = nil
	stats := t.stats
	t.Close()
	return out, stats, nil
}

// hand turns the table into in-memory segments if the budget lets them stay, or
// spills it. The copy is paid for by the table's charge until the table is gone.
func (t *Table[V]) hand(out []*Segment[V]) {
	d := t.divide()
	s := &store{budget: t.cfg.Budget, pool: t.cfg.Pool, slabs: d.slabs}
	s.refs.Store(1)
	defer s.drop()
	inMemory := d.bytes + int64(len(t.c.long.Bytes))
	if s.kept = s.budget.Keep(inMemory); !s.kept && t.cfg.spills() {
		t.spill(&d)
		return
	}
	t.c.dropCells()
	s.budget.Acquire(d.bytes)
	s.charged = inMemory
	t.c.charged -= int64(len(t.c.long.Bytes)) // the store's now
	s.slabs = append(s.slabs, t.c.long)
	for p := range out {
		l := &d.parts[p]
		if l.n > 0 {
			s.refs.Add(1)
			*out[p] = Segment[V]{blocks: l.full, arena: t.c.arena, store: s, records: int64(l.n), bytes: l.bytes}
		}
	}
	t.c.long, t.c.arena = memory.Slab{}, nil
}
