package segment

import "iter"

// Segment is an immutable list of runs: the records of one partition from one attempt. Runs that
// the attempt spilled are sorted; the rest is in memory, indexed but not sorted. It is safe for
// concurrent readers.
//
// A job has a segment for each map and reduce. So a segment lists no runs in spills: it has the
// sections from `from` to before `to` of each spill. A map's segments share one list of spills.
type Segment struct {
	spills         []*Spill // in the order in which the attempt emitted their records
	from, to       int
	memory         *run // emitted last; nil if there is none
	records, bytes int64
}

// run is one sorted section of a spill, or unsorted entries in a store.
type run struct {
	records, bytes int64    // bytes of keys and values
	spill          *Spill   // nil if the records are in memory
	section        *section // of spill
	store          *store
	entries        index
	input          int    // number of the input for a DamageError, or noInput
	ordinal        uint32 // number among the runs of a merge: equal keys come in that order
}

// run returns the run in section x of the spill.
func (s *Spill) run(x *section) run {
	return run{records: x.records, bytes: x.bytes, spill: s, section: x}
}

// OfSpills returns the segment of one partition's records in spills, which it keeps. The caller
// must release it.
func OfSpills(spills []*Spill, partition int) *Segment {
	return ofSections(spills, partition, partition+1)
}

// ofSections returns a segment with a reference to each of the spills.
func ofSections(spills []*Spill, from, to int) *Segment {
	s := &Segment{spills: spills, from: from, to: to}
	for _, f := range spills {
		f.refs.Add(1)
		for i := range f.sections[from:to] {
			x := &f.sections[from+i]
			s.records, s.bytes = s.records+x.records, s.bytes+x.bytes
		}
	}
	return s
}

// runs returns the segment's runs that are not empty, in the order of their records.
func (s *Segment) runs() iter.Seq[run] {
	return func(yield func(run) bool) {
		for _, f := range s.spills {
			for i := range f.sections[s.from:s.to] {
				if x := &f.sections[s.from+i]; x.records > 0 && !yield(f.run(x)) {
					return
				}
			}
		}
		if s.memory != nil {
			yield(*s.memory)
		}
	}
}

// reader returns a reader of a run in a spill.
func (r *run) reader(res Resources) *blockReader {
	return newBlockReader(r.spill, *r.section, r.spill.ordinals, res)
}

func (r *run) retain() {
	if r.spill != nil {
		r.spill.refs.Add(1)
	} else {
		r.store.refs.Add(1)
	}
}

func (r *run) drop() {
	if r.spill != nil {
		r.spill.Release()
	} else {
		r.store.drop()
	}
}

// Records returns the number of records.
func (s *Segment) Records() int64 { return s.records }

// Bytes returns the key and value bytes of all records: the amount that a shuffle moves, whether
// the segment is in memory or in a file.
func (s *Segment) Bytes() int64 { return s.bytes }

// Release gives up the caller's reference. Memory and files are freed when no merge reads them any
// more. Call it exactly once.
func (s *Segment) Release() {
	for _, f := range s.spills {
		f.Release()
	}
	if s.memory != nil {
		s.memory.drop()
	}
	s.spills, s.memory = nil, nil
}
