package combine

import (
	"bytes"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
	"github.com/tarry-mr/tarry/mapreduce/internal/segment"
)

// Merge is the sorted stream of distinct keys of several segments, each with
// its combined value. It is not safe for concurrent use. It holds the segments'
// memory until Close, so they may be released meanwhile.
//
// In-memory segments are folded into one hash table, whose keys are then sorted
// once: sorting each map's table and merging would sort every word of the
// vocabulary once a map. Spilled runs are merged beside it.
type Merge[V any] struct {
	t        *Table[V]
	segments []*Segment[V]
	started  bool
	spilled  bool         // some of it is in files
	rows     *rowMerge[V] // nil: in-memory segments are in sorted
	sorted   []cell[V]
	at       int
	slab     memory.Slab
	charged  int64
	key      [inlineKey]byte
	files    *segment.Merge // nil if nothing was spilled
	fileKey  []byte
	file     V
	fileOK   bool
	out      []byte
	stats    segment.Stats
	err      error
}

// NewMerge returns the merge of segments. It does no work before the first
// Next. The order in which values of a key are combined is not defined.
func NewMerge[V any](cfg Config[V], segments []*Segment[V]) *Merge[V] {
	cfg.check()
	cfg.Partitions, cfg.Partition = 1, func([]byte) int { return 0 }
	m := &Merge[V]{}
	var most int64
	for _, s := range segments {
		x := *s
		x.files = nil
		if s.store != nil {
			s.store.refs.Add(1)
			most = max(most, s.inMemory)
		}
		m.segments = append(m.segments, &x)
	}
	if cfg.Distinct == 0 {
		cfg.Distinct = int(most + most/4) // vocabularies overlap; growing later is cheap
	}
	m.t = &Table[V]{cfg: cfg}
	m.files = segment.NewMerge(segment.MergeConfig{
		Budget: cfg.Budget, Pool: cfg.Pool, Files: cfg.Files, SpillDir: cfg.SpillDir, FanIn: cfg.fanIn,
	}, nil)
	for i, s := range segments {
		if s.files != nil {
			m.spilled = true
			m.files.AddInput(i, s.files)
		}
	}
	return m
}

// start folds all in-memory segments together and sorts the keys.
func (m *Merge[V]) start() {
	m.started = true
	if cfg := &m.t.cfg; !m.spilled && cfg.Width > 0 {
		m.rows = newRowMerge(m.segments)
	}
	if m.rows != nil {
		m.count()
		return
	}
	m.t = NewTable(m.t.cfg)
	m.count()
	for _, s := range m.segments {
		m.t.absorb(s)
	}
	m.t.flush()
	m.t.flushLong()
	if m.err = m.t.err; m.err != nil {
		return
	}
	own := segment.OfSpills(m.t.spills, 0)
	m.files.AddInput(-1, own)
	own.Release()
	m.sort()
	m.nextFile()
}

func (m *Merge[V]) count() {
	for _, s := range m.segments {
		m.stats.Records += s.records
		m.stats.Bytes += s.bytes
	}
}

// sort sorts the table's keys into memory that the table's charge has paid for,
// with the table as scratch, and frees the table.
func (m *Merge[V]) sort() {
	c, d := &m.t.c, &m.t.d
	n := c.n + d.n
	var dst []cell[V]
	if c.offHeap {
		m.slab = c.pool.Get(n * cellSize[V]())
		dst = memory.Cast[cell[V]](m.slab.Bytes)[:n]
	} else {
		dst = make([]cell[V], n)
	}
	sortCells([][]cell[V]{c.cells}, dst[:c.n], c.cells[:c.n], c.arena)
	if d.n > 0 {
		d.mergeInto(dst, c.n)
		m.t.dropNumbers()
	}
	c.dropCells()
	m.charged = int64(n * cellSize[V]())
	c.budget.Acquire(m.charged)
	m.sorted = dst
}

// nextFile reads the next record of the spilled runs.
func (m *Merge[V]) nextFile() {
	var value []byte
	if m.fileKey, value, m.fileOK = m.files.Next(); !m.fileOK {
		m.err = m.files.Err()
		return
	}
	if m.file, m.err = m.t.cfg.decode(value); m.err != nil {
		m.fileOK = false
	}
}

// Next returns the next key and its value, or ok false at the end or after an
// error. key is valid until the next call of Next or Close.
func (m *Merge[V]) Next() (key []byte, v V, ok bool) {
	if !m.started {
		m.start()
	}
	if m.err != nil {
		return nil, v, false
	}
	if m.rows != nil {
		return m.nextOfRows()
	}
	if m.at < len(m.sorted) {
		x := &m.sorted[m.at]
		key, v, ok = turnedKey(x, m.t.c.arena, &m.key), x.value, true
	}
	if !m.fileOK {
		m.at++
		return key, v, ok
	}
	return m.nextWithFile(key, v, ok)
}

// nextWithFile joins the head of memory, if any, with the equal or smaller keys
// of the spilled runs.
func (m *Merge[V]) nextWithFile(key []byte, v V, ok bool) ([]byte, V, bool) {
	order := 1
	if ok {
		order = bytes.Compare(key, m.fileKey)
	}
	if order < 0 {
		m.at++
		return key, v, true
	}
	if order == 0 {
		m.at++
		v = m.t.cfg.fold(v, m.file)
	} else {
		v = m.file
	}
	m.out = append(m.out[:0], m.fileKey...)
	for m.nextFile(); m.fileOK && bytes.Equal(m.fileKey, m.out); m.nextFile() {
		v = m.t.cfg.fold(v, m.file)
	}
	if m.err != nil {
		return nil, v, false
	}
	return m.out, v, true
}

func (c *Config[V]) fold(a, b V) V {
	if c.Sum {
		add(&a, &b)
		return a
	}
	return c.Combine(a, b)
}

// Err returns the error that ended Next, if any.
func (m *Merge[V]) Err() error { return m.err }

// Stats counts the records read from the segments and, in the Spill fields,
// what was spilled on the way.
func (m *Merge[V]) Stats() segment.Stats {
	s, a, b := m.stats, m.t.stats, m.files.Stats()
	s.Spills = a.Spills + b.Spills
	s.SpilledRecords = a.SpilledRecords + b.SpilledRecords
	s.SpilledBytes = a.SpilledBytes + b.SpilledBytes
	s.FileBytes = a.FileBytes + b.FileBytes
	return s
}

// Close frees everything the merge holds. Closing twice is allowed.
func (m *Merge[V]) Close() {
	c := &m.t.cfg
	m.files.Close()
	c.Pool.Put(m.slab)
	c.Budget.Release(m.charged)
	m.t.Close()
	for _, s := range m.segments {
		s.Release()
	}
	m.started, m.segments, m.rows, m.sorted, m.fileOK = true, nil, nil, nil, false
	m.slab, m.charged = memory.Slab{}, 0
}
