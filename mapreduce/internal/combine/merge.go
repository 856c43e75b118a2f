package combine

import (
	"bytes"
	"unsafe"

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
	cfg      Config[V]
	acc      accumulator[V] // what segments have in memory is folded into it
	segments []*Segment
	started  bool
	spilled  bool           // some of it is in files
	dense    *denseMerge[V] // nil: in-memory segments are in acc
	sorted   *sorted        // the keys of acc
	at       int            // in sorted
	key      [8]byte
	files    *segment.Merge // of what is in files
	fileKey  []byte
	file     V
	fileOK   bool
	out      []byte
	stats    segment.Stats
	err      error
}

// NewMerge returns the merge of segments. It does no work before the first
// Next. The order in which values of a key are combined is not defined.
func NewMerge[V any](cfg Config[V], segments []*Segment) *Merge[V] {
	cfg.check()
	cfg.Partitions, cfg.Partition = 1, func([]byte) int { return 0 }
	m := &Merge[V]{sorted: new(sorted)}
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
	m.cfg = cfg
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
	m.count()
	if !m.spilled && m.cfg.Width > 0 {
		m.dense = newDenseMerge[V](m.segments)
	}
	if m.dense != nil {
		return
	}
	m.acc.init(&m.cfg)
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
	m.sorted = keysOf(&m.acc).sort(m.acc.len(), m.cfg.Pool)
	if m.spilled || len(m.acc.spills) > 0 {
		m.acc.compact(m.sorted) // the more runs can be read at once
		m.nextFile()
	}
}

func (m *Merge[V]) count() {
	for _, s := range m.segments {
		m.stats.Records += s.records
		m.stats.Bytes += s.bytes
	}
}

// nextFile reads the next record of the spilled runs.
func (m *Merge[V]) nextFile() {
	var value []byte
	if m.fileKey, value, m.fileOK = m.files.Next(); !m.fileOK {
		m.err = m.files.Err()
		return
	}
	if m.err = m.acc.form.read(value, unsafe.Pointer(&m.file)); m.err != nil {
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
	if m.dense != nil {
		return m.nextDense()
	}
	if list := m.sorted.list; m.at < len(list) {
		if m.at%touchAhead == 0 {
			m.sorted.touch(list[m.at:min(m.at+touchAhead, len(list))])
		}
		k, x := m.sorted.pair(&list[m.at])
		key, v, ok = k, *(*V)(x), true
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
		v = m.cfg.fold(v, m.file)
	} else {
		v = m.file
	}
	m.out = append(m.out[:0], m.fileKey...)
	for m.nextFile(); m.fileOK && bytes.Equal(m.fileKey, m.out); m.nextFile() {
		v = m.cfg.fold(v, m.file)
	}
	if m.err != nil {
		return nil, v, false
	}
	return m.out, v, true
}

// Err returns the error that ended Next, if any.
func (m *Merge[V]) Err() error { return m.err }

// Stats counts the records read from the segments and, in the Spill fields,
// what was spilled on the way.
func (m *Merge[V]) Stats() segment.Stats {
	s, a, b := m.stats, m.acc.stats, m.files.Stats()
	s.Spills = a.Spills + b.Spills
	s.SpilledRecords = a.SpilledRecords + b.SpilledRecords
	s.SpilledBytes = a.SpilledBytes + b.SpilledBytes
	s.FileBytes = a.FileBytes + b.FileBytes
	return s
}

// Close frees everything the merge holds. Closing twice is allowed.
func (m *Merge[V]) Close() {
	m.files.Close()
	m.cfg.Pool.Put(m.sorted.slab)
	m.acc.close()
	for _, s := range m.segments {
		s.Release()
	}
	m.started, m.segments, m.dense, m.sorted, m.fileOK = true, nil, nil, new(sorted), false
}
