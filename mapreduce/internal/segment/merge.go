package segment

import (
	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// MergeConfig configures a [Merge].
type MergeConfig struct {
	// Budget pays for buffers and indexes; nil means no limit.
	Budget *memory.Budget
	// Pool supplies the buffers; nil allocates new ones each time.
	Pool *memory.Pool
	// Files stores intermediate runs; nil means a separate file for each one in SpillDir, or in
	// os.TempDir if that is empty.
	Files    *Files
	SpillDir string
	// Largest limits the bytes of a spilled record that Next loads into memory; 0 means no limit.
	// Larger records are ErrRecordTooLarge.
	Largest int64
	// FanIn limits the number of spilled runs read at once; 0 means as many as the budget allows,
	// at most 256. More runs are merged in several passes.
	FanIn int
}

const maxFanIn = 256

// Merge is the sorted stream of the records of several segments. It is not safe for concurrent use.
// It keeps the segments' memory until Close, so the caller may release them meanwhile.
type Merge struct {
	cfg     MergeConfig
	runs    []run // by ordinal
	files   []fileRun
	sources []*source
	tree    *loserTree // nil with a single source
	slab    memory.Slab
	record  memory.Slab  // the loaded record larger than a block
	streams bool         // WriteTo streams such a record instead of loading it
	long    *blockReader // with streams: the next such record
	charged int64
	started bool
	pending bool // the head was returned and must be advanced first
	stats   Stats
	err     error
}

// fileRun is a run in a file with its number among all runs.
type fileRun struct {
	run
	ordinal uint32
}

// NewMerge returns the merge of segments; records with equal keys come in the order of segments. It
// does no work before the first Next or WriteTo.
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
	for _, r := range s.runs() {
		r.retain()
		r.input = input
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

// other implements Next for a source whose head is not a record in memory.
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

// Stats returns the statistics of intermediate passes, in the Spill fields only.
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
	m.letGo()
	m.cfg.Pool.Put(m.slab)
	m.cfg.Budget.Release(m.charged)
	m.started, m.runs, m.files, m.sources, m.tree = true, nil, nil, nil, nil
	m.slab, m.charged = memory.Slab{}, 0
}

// start opens the sources: one for all entries in memory, which it sorts, and one for each run in a
// file, after intermediate passes if there are too many.
func (m *Merge) start() {
	m.started = true
	var inMemory []fileRun
	for i, r := range m.runs {
		f := fileRun{r, uint32(i)}
		if r.file != nil {
			f.retain()
			m.files = append(m.files, f)
		} else {
			inMemory = append(inMemory, f)
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
		s.alone = len(m.sources) == 1
		s.advance()
	}
	if len(m.sources) > 1 {
		m.tree = newLoserTree(m.sources)
	}
}

func (m *Merge) open(f *fileRun) *source {
	return &source{
		ordinal: f.ordinal,
		file:    newBlockReader(f.file, f.section, m.cfg.Pool, m.cfg.Budget),
	}
}
