package segment

import (
	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// MergeConfig configures a [Merge].
type MergeConfig struct {
	Resources
	// Largest is the maximum size of a spilled record that Next loads; 0 means no limit. For larger
	// ones the error is ErrRecordTooLarge.
	Largest int64
	// FanIn limits the number of spilled runs read at once; 0 means as many as the budget allows,
	// at most 256. More runs are merged in several passes.
	FanIn int
}

const maxFanIn = 256

// Merge reads the records of several segments as one stream sorted by key. It is not safe for
// concurrent use. It keeps the segments' memory until Close; the caller may release them earlier.
type Merge struct {
	cfg     MergeConfig
	runs    []run // by ordinal
	files   []run
	sources []*source
	tree    *loserTree // nil with a single source
	slab    memory.Slab
	record  memory.Slab  // the latest record larger than a block, loaded by whole
	streams bool         // WriteTo streams such a record instead of loading it
	long    *blockReader // with streams: the next such record
	charged int64
	started bool
	pending bool // the head was returned and must be advanced first
	stats   Stats
	err     error
}

// NewMerge returns a Merge of segments; the first Next or WriteTo starts the work. Records with
// equal keys come in the order of segments.
func NewMerge(cfg MergeConfig, segments []*Segment) *Merge {
	m := &Merge{cfg: cfg}
	for i, s := range segments {
		m.AddInput(i, s)
	}
	return m
}

// AddInput adds a segment after those already added. input is the number by which a [DamageError]
// names it, or negative if it is not one of the caller's inputs. It must be called before the first
// Next or WriteTo.
func (m *Merge) AddInput(input int, s *Segment) {
	for r := range s.runs() {
		r.retain()
		r.input, r.ordinal = input, uint32(len(m.runs))
		m.runs = append(m.runs, r)
	}
}

// Next returns the next record, or ok false at the end or after an error. key and value are valid
// until the next call of Next or Close and must not be changed.
func (m *Merge) Next() (key, value []byte, ok bool) {
	if !m.started {
		m.start()
	}
	if m.err != nil || len(m.sources) == 0 {
		return nil, nil, false
	}
	s := m.sources[0]
	if m.tree != nil {
		if m.pending {
			m.tree.next()
		}
		s = m.tree.winner()
	} else if m.pending {
		s.advance()
	}
	m.pending = true
	if s.state != live {
		return m.other(s)
	}
	return s.key, s.value, true
}

// other is Next for a source that has failed, is at its end or has a record larger than a block.
func (m *Merge) other(s *source) (key, value []byte, ok bool) {
	switch {
	case s.state == failed:
		m.err = m.explain(s.file.err)
		return nil, nil, false
	case s.state == done:
		return nil, nil, false
	case m.streams:
		m.long = s.file
		return nil, nil, true
	default:
		return m.whole(s)
	}
}

// Err returns the error that ended Next, if any; errors of damaged spill files wrap [ErrCorrupt].
func (m *Merge) Err() error { return m.err }

// Stats counts, in its Spill fields only, the intermediate runs that the merge has written.
func (m *Merge) Stats() Stats { return m.stats }

// Close frees all resources. A second Close does nothing.
func (m *Merge) Close() {
	for _, s := range m.sources {
		if s.file != nil {
			s.file.close()
		}
	}
	for i := range m.files {
		m.files[i].drop()
	}
	for i := range m.runs {
		m.runs[i].drop()
	}
	m.cfg.free(&m.record)
	m.cfg.Pool.Put(m.slab)
	m.cfg.Budget.Release(m.charged)
	m.started, m.runs, m.files, m.sources, m.tree = true, nil, nil, nil, nil
	m.slab, m.charged = memory.Slab{}, 0
}

// start opens the sources: one for all entries in memory, which it sorts, and one for each run in a
// file, after intermediate passes if there are too many.
func (m *Merge) start() {
	m.started = true
	var inMemory []run
	for _, r := range m.runs {
		if r.spill != nil {
			r.retain()
			m.files = append(m.files, r)
		} else {
			inMemory = append(inMemory, r)
		}
	}
	if m.err = m.sortMemory(inMemory); m.err != nil {
		return
	}
	if m.err = m.explain(m.passes()); m.err != nil {
		return
	}
	for i := range m.files {
		m.sources = append(m.sources, m.open(&m.files[i]))
	}
	for _, s := range m.sources {
		s.advance()
	}
	if len(m.sources) > 1 {
		m.tree = newLoserTree(m.sources)
	}
}

func (m *Merge) open(f *run) *source {
	return &source{
		ordinal: f.ordinal,
		file:    f.reader(m.cfg.Resources),
	}
}
