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
// It folds in-memory segments into one accumulator and sorts its keys. Sorting each map's table
// would sort the whole vocabulary once per map. Spilled runs are merged with the result.
type Merge struct {
	acc      accumulator // of the in-memory segments
	segments []*Segment
	started  bool
	spilled  bool    // some segments have files
	sorted   *sorted // the pairs of acc
	pair     uint32  // the next one, if pairOK
	pairOK   bool
	files    *segment.Merge // of the spilled runs
	fileKey  []byte
	file     memory.Pointer // value of fileKey
	fileOK   bool
	out      []byte
	value    memory.Pointer // value of out
	stats    segment.Stats
	err      error
}

// NewMerge returns a Merge that reads segments; the first Next starts the work. The values of a key
// are combined in no particular order.
func NewMerge(o Options, v Values, segments []*Segment) *Merge {
	o.Partitions, o.Partition = 1, func([]byte) int { return 0 }
	m := &Merge{}
	var most int64
	for _, s := range segments {
		x := *s
		x.files = new(segment.Segment)
		if s.store != nil {
			s.store.refs.Add(1)
			most = max(most, s.inMemory)
		}
		m.segments = append(m.segments, &x)
		m.stats.Records += s.records
		m.stats.Bytes += s.bytes
		m.spilled = m.spilled || s.files.Records() > 0
	}
	if o.Distinct == 0 {
		o.Distinct = int(most + most/4) // vocabularies overlap; growing later is cheap
	}
	m.acc.opt, m.acc.form = o, formOf(&o, &v)
	m.files = segment.NewMerge(segment.MergeConfig{Resources: o.Resources, FanIn: o.fanIn}, nil)
	for i, s := range segments {
		m.files.AddInput(i, s.files)
	}
	return m
}

// start prepares the first Next: it folds all in-memory segments together and sorts the keys.
func (m *Merge) start() {
	a := &m.acc
	m.started = true
	a.start()
	for _, s := range m.segments {
		a.absorb(s)
	}
	a.gather(nil)
	if m.err = a.err; m.err != nil {
		return
	}
	own := segment.OfSpills(a.spills, 0)
	m.files.AddInput(-1, own)
	own.Release()
	m.sorted = a.keys().sort(a.hash.n, a.opt.Pool)
	m.pair, m.pairOK = m.sorted.next()
	if m.spilled || len(a.spills) > 0 {
		m.file, m.value = a.form.array(1), a.form.array(1)
		m.nextFile()
	}
}

// nextFile reads the next record of the spilled runs into fileKey and file; it sets err or fileOK.
func (m *Merge) nextFile() {
	var value []byte
	if m.fileKey, value, m.fileOK = m.files.Next(); !m.fileOK {
		m.err = m.files.Err()
		return
	}
	if m.err = m.acc.form.read(value, m.file); m.err != nil {
		m.fileOK = false
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
	case m.fileOK:
		return m.nextWithFile()
	default:
		return m.nextInMemory()
	}
}

// nextInMemory returns the next pair of acc.
func (m *Merge) nextInMemory() (key []byte, v memory.Pointer, ok bool) {
	if !m.pairOK {
		return nil, memory.Pointer{}, false
	}
	key, v = m.sorted.pair(m.pair)
	m.pair, m.pairOK = m.sorted.next()
	return key, v, true
}

// nextWithFile returns the next pair of acc and the spilled runs; equal keys are combined.
func (m *Merge) nextWithFile() (key []byte, v memory.Pointer, ok bool) {
	form, order := &m.acc.form, 1
	if m.pairOK {
		key, v = m.sorted.pair(m.pair)
		order = bytes.Compare(key, m.fileKey)
	}
	switch {
	case order < 0:
		return m.nextInMemory()
	case order == 0:
		m.pair, m.pairOK = m.sorted.next()
		form.fold(v, m.file)
	default:
		v = m.value
		form.move(v, m.file)
	}
	m.out = append(m.out[:0], m.fileKey...)
	for m.nextFile(); m.fileOK && bytes.Equal(m.fileKey, m.out); m.nextFile() {
		form.fold(v, m.file)
	}
	return m.out, v, m.err == nil
}

// Err returns the error that ended Next, if any.
func (m *Merge) Err() error { return m.err }

// Stats returns the records and bytes of the segments and, in its Spill fields, the spills that the
// merge itself has written.
func (m *Merge) Stats() segment.Stats {
	s, a, b := m.stats, m.acc.stats, m.files.Stats()
	s.Spills = a.Spills + b.Spills
	s.SpilledRecords = a.SpilledRecords + b.SpilledRecords
	s.SpilledBytes = a.SpilledBytes + b.SpilledBytes
	s.FileBytes = a.FileBytes + b.FileBytes
	return s
}

// Close frees the memory of the merge. Closing twice is allowed.
func (m *Merge) Close() {
	m.files.Close()
	if m.sorted != nil {
		m.acc.opt.Pool.Put(m.sorted.slab)
	}
	m.acc.close()
	for _, s := range m.segments {
		s.Release()
	}
	m.started, m.segments, m.sorted, m.pairOK, m.fileOK = true, nil, nil, false, false
}
