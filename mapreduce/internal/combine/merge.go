package combine

import (
	"bytes"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
	"github.com/tarry-mr/tarry/mapreduce/internal/segment"
)

// Merge reads several segments as one sorted stream of distinct keys with combined values. It is
// not safe for concurrent use. It holds the segments' memory until Close, so the caller may release
// them earlier.
//
// It folds in-memory segments into one hash table and sorts its keys. Sorting each map's table
// would sort the whole vocabulary once per map. If there are spilled runs, it spills the table, too,
// and merges runs only: so nearly all memory is for reading many runs at once.
type Merge struct {
	acc      accumulator // of the in-memory segments
	segments []*Segment
	started  bool
	spilled  bool        // some segments have files, or acc was spilled
	dense    *denseMerge // nil: in-memory segments are in acc
	sorted   *sorted     // keys of acc
	at       int         // index in sorted
	key      [8]byte
	runs     *segment.Merge // of the spilled runs
	runKey   []byte         // the next key of runs
	ahead    memory.Pointer // its value
	more     bool           // runKey and ahead are set
	out      []byte
	value    memory.Pointer // value of out
	stats    segment.Stats
	err      error
}

// NewMerge returns a Merge that reads segments; the first Next starts the work. The values of a key
// are combined in no particular order.
func NewMerge(o Options, v Values, segments []*Segment) *Merge {
	o.Partitions, o.Partition = 1, func([]byte) int { return 0 }
	m := &Merge{sorted: new(sorted)}
	m.runs = segment.NewMerge(segment.MergeConfig{Resources: o.Resources, FanIn: o.fanIn}, nil)
	var most int64
	for i, s := range segments {
		m.runs.AddInput(i, s.files)
		m.spilled = m.spilled || s.files.Records() > 0
		x := *s
		x.files = new(segment.Segment)
		if s.store != nil {
			s.store.refs.Add(1)
			most = max(most, s.inMemory)
		}
		m.segments = append(m.segments, &x)
	}
	if o.Distinct == 0 {
		o.Distinct = int(most + most/4) // vocabularies overlap; growing later is cheap
	}
	m.acc.opt, m.acc.form = o, formOf(&o, &v)
	return m
}

// start prepares the first Next: it folds all in-memory segments together and sorts or spills the
// keys.
func (m *Merge) start() {
	m.started = true
	m.count()
	if !m.spilled && m.acc.opt.Width > 0 {
		m.dense = newDenseMerge(m.segments, &m.acc.form)
	}
	if m.dense != nil {
		return
	}
	m.acc.start()
	for _, s := range m.segments {
		m.acc.absorb(s)
	}
	m.acc.flush()
	if m.spilled = m.spilled || len(m.acc.spills) > 0; m.spilled {
		m.acc.drain()
	}
	if m.err = m.acc.err; m.err != nil {
		return
	}
	if !m.spilled {
		m.sorted = m.acc.keys().sort(m.acc.len(), m.acc.opt.Pool)
		return
	}
	m.acc.free()
	own := segment.OfSpills(m.acc.spills, 0)
	m.runs.AddInput(-1, own)
	own.Release()
	m.ahead, m.value = m.acc.form.array(1), m.acc.form.array(1)
	m.readRun()
}

func (m *Merge) count() {
	for _, s := range m.segments {
		m.stats.Records += s.records
		m.stats.Bytes += s.bytes
	}
}

// readRun reads the next record of the spilled runs into runKey and ahead; it sets err or more.
func (m *Merge) readRun() {
	var value []byte
	if m.runKey, value, m.more = m.runs.Next(); !m.more {
		m.err = m.runs.Err()
		return
	}
	if m.err = m.acc.form.read(value, m.ahead); m.err != nil {
		m.more = false
	}
}

// Next returns the next key and the address of its value; ok is false at the end or after an error.
// Both are valid until the next call of Next or Close.
func (m *Merge) Next() (key []byte, v memory.Pointer, ok bool) {
	if !m.started {
		m.start()
	}
	switch {
	case m.err != nil:
		return nil, memory.Pointer{}, false
	case m.dense != nil:
		return m.nextDense()
	case m.spilled:
		return m.nextSpilled()
	}
	list := m.sorted.list
	if m.at == len(list) {
		return nil, memory.Pointer{}, false
	}
	if m.at%touchAhead == 0 {
		m.sorted.touch(list[m.at:min(m.at+touchAhead, len(list))])
	}
	key, v = m.sorted.pair(&list[m.at])
	m.at++
	return key, v, true
}

// nextSpilled is Next for spilled runs: it combines the values of equal keys.
func (m *Merge) nextSpilled() (key []byte, v memory.Pointer, ok bool) {
	if !m.more {
		return nil, memory.Pointer{}, false
	}
	form := &m.acc.form
	form.move(m.value, m.ahead)
	m.out = append(m.out[:0], m.runKey...)
	for m.readRun(); m.more && bytes.Equal(m.runKey, m.out); m.readRun() {
		form.fold(m.value, m.ahead)
	}
	if m.err != nil {
		return nil, memory.Pointer{}, false
	}
	return m.out, m.value, true
}

// Err returns the error that ended Next, if any.
func (m *Merge) Err() error { return m.err }

// Stats returns the records and bytes of the segments and, in its Spill fields, the spills that the
// merge itself has written.
func (m *Merge) Stats() segment.Stats {
	s, a, b := m.stats, m.acc.stats, m.runs.Stats()
	s.Spills = a.Spills + b.Spills
	s.SpilledRecords = a.SpilledRecords + b.SpilledRecords
	s.SpilledBytes = a.SpilledBytes + b.SpilledBytes
	s.FileBytes = a.FileBytes + b.FileBytes
	return s
}

// Close frees the memory of the merge. Closing twice is allowed.
func (m *Merge) Close() {
	m.runs.Close()
	m.acc.opt.Pool.Put(m.sorted.slab)
	m.acc.close()
	for _, s := range m.segments {
		s.Release()
	}
	m.started, m.segments, m.dense, m.sorted, m.more = true, nil, nil, new(sorted), false
}
