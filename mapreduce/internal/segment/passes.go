package segment

import (
	"math"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// sortMemory adds one source with all records in memory. It sorts their entries at once, which is
// faster than merging sorted runs. If the budget refuses that, it sorts portions and writes them as
// intermediate runs.
func (m *Merge) sortMemory(runs []run) error {
	for len(runs) > 0 {
		n, entries := m.sortable(runs)
		need := int64(entries * entrySize)
		if n == len(runs) && m.cfg.Budget.TryAcquire(need) {
			m.charged = need
			m.slab = m.cfg.Pool.Get(entries * entrySize)
			m.sources = append(m.sources, memorySource(runs, m.cfg.Pool, m.slab))
			return nil
		}
		if err := m.spillMemory(runs[:n], entries); err != nil {
			return err
		}
		runs = runs[n:]
	}
	return nil
}

// sortable returns how many of the runs, at least one, can be sorted together, and their number of
// entries: as many as the budget allows, with regions that 16 bits can number.
func (m *Merge) sortable(runs []run) (n, entries int) {
	room, regions := m.cfg.Budget.Available()/entrySize, 0
	for _, r := range runs {
		regions += len(r.store.regions)
		if n > 0 && (regions > maxRegions || int64(entries+r.entries.n) > room) {
			break
		}
		n++
		entries += r.entries.n
	}
	return n, entries
}

// memorySource returns a source of the records of runs in memory, with their sorted entries in the
// slab, which must have room for them. Equal keys stay in the order of runs.
func memorySource(runs []run, pool *memory.Pool, slab memory.Slab) *source {
	s := &source{}
	x := Sorting{Low: math.MaxUint64, Pool: pool}
	var blocks []block
	for i := range runs {
		r := &runs[i]
		for _, b := range r.entries.blocks {
			b.base = uint16(len(s.regions))
			blocks = append(blocks, b)
		}
		x.N += r.entries.n
		x.Low, x.High = min(x.Low, r.entries.low), max(x.High, r.entries.high)
		s.regions = append(s.regions, r.store.regions...)
		for range r.store.regions {
			s.owners = append(s.owners, r.ordinal)
		}
	}
	x.Regions = s.regions
	s.entries = x.Sort(func() Reader { return &decoder{rest: blocks} }, slab)
	return s
}

// spillMemory writes the records of runs as one sorted intermediate run; entries is their number of
// entries.
func (m *Merge) spillMemory(runs []run, entries int) error {
	need := int64(entries * entrySize)
	m.cfg.Budget.Acquire(need)
	defer m.cfg.Budget.Release(need)
	slab := m.cfg.Pool.Get(entries * entrySize)
	defer m.cfg.Pool.Put(slab)
	s := memorySource(runs, m.cfg.Pool, slab)
	s.advance()
	f, err := m.write([]*source{s})
	if err == nil {
		m.files = append(m.files, f)
	}
	return err
}

// fanIn returns how many runs in files the merge may read at once.
func (m *Merge) fanIn() int {
	if m.cfg.FanIn > 1 {
		return min(m.cfg.FanIn, len(m.files))
	}
	room := m.cfg.Budget.Available()
	for i := range m.files[:min(maxFanIn, len(m.files))] {
		if room -= readerBytes(m.files[i].section); room < 0 && i >= minFanIn {
			return i
		}
	}
	return min(maxFanIn, len(m.files))
}

// minFanIn is the minimum number of runs merged at once, whatever the budget.
const minFanIn = 4

// passes merges runs in files until all of them can be read at once. Intermediate runs store each
// record's ordinal, so any of them may be merged.
func (m *Merge) passes() error {
	for n := m.fanIn(); n < len(m.files); n = m.fanIn() {
		n = max(2, min(n, len(m.files)-n+1))
		group := m.files[:n]
		sources := make([]*source, n)
		for i := range group {
			sources[i] = m.open(&group[i])
			sources[i].advance()
		}
		f, err := m.write(sources)
		for _, s := range sources {
			s.file.close()
		}
		if err != nil {
			return err
		}
		for i := range group {
			group[i].drop()
		}
		m.files = append(m.files[n:], f)
	}
	return nil
}

// write merges sources into one intermediate run, and returns that.
func (m *Merge) write(sources []*source) (out run, err error) {
	w, err := NewSpillWriter(m.cfg.Resources, 1)
	if err != nil {
		return out, err
	}
	defer w.Close()
	w.spill.ordinals = true
	tree := newLoserTree(sources)
	s := tree.winner()
	for ; s.state <= large; s = tree.winner() {
		if s.state == large {
			err = w.copyLarge(s)
		} else {
			err = w.record(s.ordinal, s.key, s.value)
		}
		if err != nil {
			return out, err
		}
		tree.next()
	}
	if s.state == failed {
		return out, s.file.err
	}
	if err = w.EndPartition(); err != nil {
		return out, err
	}
	f := w.Spill(&m.stats)
	out = f.run(&f.sections[0])
	out.input = noInput
	return out, nil
}
