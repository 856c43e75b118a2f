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
// would sort the whole vocabulary once per map. Spilled runs are merged with the result.
type Merge struct {
	acc      accumulator // of the in-memory segments
	segments []*Segment
	started  bool
	spilled  bool        // some segments have files
	dense    *denseMerge // nil: in-memory segments are in acc
	sorted   *sorted     // keys of acc
	at       int         // index in sorted
	key      [8]byte
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
	m := &Merge{sorted: new(sorted)}
	var most int64
	for _, s := range segments {
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
	m.files = segment.NewMerge(segment.MergeConfig{Resources: o.Resources, FanIn: o.fanIn}, nil)
	for i, s := range segments {
		m.files.AddInput(i, s.files)
		m.spilled = m.spilled || s.files.Records() > 0
	}
	return m
}

// start prepares the first Next: it folds all in-memory segments together and sorts the keys.
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
	if m.err = m.acc.err; m.err != nil {
		return
	}
	own := segment.OfSpills(m.acc.spills, 0)
	m.files.AddInput(-1, own)
	own.Release()
	m.sorted = m.acc.keys().sort(m.acc.len(), m.acc.opt.Pool)
	if m.spilled || len(m.acc.spills) > 0 {
		m.acc.compact(m.sorted) // leaves memory for reading more runs at once
		m.file, m.value = m.acc.form.array(1), m.acc.form.array(1)
		m.nextFile()
	}
}

func (m *Merge) count() {
	for _, s := range m.segments {
		m.stats.Records += s.records
		m.stats.Bytes += s.bytes
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
	if m.err != nil {
		return nil, memory.Pointer{}, false
	}
	if m.dense != nil {
		return m.nextDense()
	}
	if list := m.sorted.list; m.at < len(list) {
		if m.at%touchAhead == 0 {
			m.sorted.touch(list[m.at:min(m.at+touchAhead, len(list))])
		}
		key, v = m.sorted.pair(&list[m.at])
		ok = true
	}
	if !m.fileOK {
		m.at++
		return key, v, ok
	}
	return m.nextWithFile(key, v, ok)
}

// nextWithFile returns the next pair of the table in memory and the spilled runs. key and v are the
// table's next pair, if ok; equal keys are combined.
func (m *Merge) nextWithFile(key []byte, v memory.Pointer, ok bool) ([]byte, memory.Pointer, bool) {
	order := 1
	if ok {
		order = bytes.Compare(key, m.fileKey)
	}
	if order < 0 {
		m.at++
		return key, v, true
	}
	form := &m.acc.form
	if order == 0 {
		m.at++
		form.fold(v, m.file)
	} else {
		v = m.value
		form.move(v, m.file)
	}
	m.out = append(m.out[:0], m.fileKey...)
	for m.nextFile(); m.fileOK && bytes.Equal(m.fileKey, m.out); m.nextFile() {
		form.fold(v, m.file)
	}
	if m.err != nil {
		return nil, memory.Pointer{}, false
	}
	return m.out, v, true
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
	m.acc.opt.Pool.Put(m.sorted.slab)
	m.acc.close()
	for _, s := range m.segments {
		s.Release()
	}
	m.started, m.segments, m.dense, m.sorted, m.fileOK = true, nil, nil, new(sorted), false
}
