package segment

import (
	"fmt"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// sortMemory adds one source with all records in memory. It sorts their entries at once, which is
// faster than merging sorted runs. If the budget refuses that, it sorts portions and writes them as
// intermediate runs.
func (m *Merge) sortMemory(runs []run) error {
	for len(runs) > 0 {
		n, entries := m.portion(runs)
		need := int64(entries * entrySize)
		if n == len(runs) && m.cfg.Budget.TryAcquire(need) {
			m.charged += need
			m.slab = m.cfg.Pool.Get(entries * entrySize)
			m.sources = append(m.sources, m.collect(runs, m.slab))
			return nil
		}
		n = m.affordable(runs[:n])
		if err := m.spillMemory(runs[:n]); err != nil {
			return err
		}
		runs = runs[n:]
	}
	return nil
}

// portion returns how many of the runs fit into 16-bit region numbers, and their number of entries.
func (m *Merge) portion(runs []run) (n, entries int) {
	regions := 0
	for _, r := range runs {
		regions += len(r.store.regions)
		if n > 0 && regions > maxRegions {
			break
		}
		n++
		entries += r.entries.n
	}
	return n, entries
}

// affordable returns how many of the runs the budget allows to sort together, at least one.
func (m *Merge) affordable(runs []run) int {
	room := m.cfg.Budget.Available()
	for i := range runs {
		if room -= int64(runs[i].entries.n * entrySize); room < 0 {
			return max(1, i)
		}
	}
	return len(runs)
}

// collect returns a source of the records of runs, with their sorted entries in the slab.
func (m *Merge) collect(runs []run, slab memory.Slab) *source {
	s := &source{}
	var c collector
	for i := range runs {
		r := &runs[i]
		c.add(&r.entries, len(s.regions))
		s.regions = append(s.regions, r.store.regions...)
		for range r.store.regions {
			s.owners = append(s.owners, r.ordinal)
		}
	}
	s.entries = c.sortInto(s.regions, m.cfg.Pool, slab)
	return s
}

// spillMemory writes the records of runs as one sorted intermediate run.
func (m *Merge) spillMemory(runs []run) error {
	entries := 0
	for _, r := range runs {
		entries += r.entries.n
	}
	need := int64(entries * entrySize)
	m.cfg.Budget.Acquire(need)
	defer m.cfg.Budget.Release(need)
	slab := m.cfg.Pool.Get(entries * entrySize)
	defer m.cfg.Pool.Put(slab)
	s := m.collect(runs, slab)
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
		if room -= readerBytes(&m.files[i].section); room < 0 && i >= minFanIn {
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
			if err == nil {
				err = s.file.err
			}
			s.file.close()
		}
		if err != nil {
			if f.file != nil {
				f.drop()
			}
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
	w, err := NewSpillWriter(Config{
		Partitions: 1, Budget: m.cfg.Budget, Pool: m.cfg.Pool, Files: m.cfg.Files, SpillDir: m.cfg.SpillDir,
	})
	if err != nil {
		return out, err
	}
	defer w.Close()
	w.w.x.ordinals = true
	tree := newLoserTree(sources)
	for s := tree.winner(); s.state <= large; s = tree.winner() {
		if s.state == large {
			err = w.w.copyLarge(s)
		} else {
			err = w.w.record(s.ordinal, s.key, s.value)
		}
		if err != nil {
			return out, err
		}
		tree.next()
	}
	if err = w.EndPartition(); err != nil {
		return out, err
	}
	f := w.Spill(&m.stats)
	x := f.sections[0]
	if x.size == 0 {
		f.drop()
		return out, fmt.Errorf("segment: an intermediate run is empty: %w", ErrCorrupt)
	}
	return run{section: x, file: f, input: noInput}, nil
}
