package segment

// Segment is an immutable list of runs: the records of one partition from one attempt. Runs that the
// attempt spilled are sorted; the rest is in memory, indexed but not sorted. It is safe for
// concurrent readers.
type Segment struct {
	runs           []run // in the order in which the attempt emitted their records
	records, bytes int64
}

// run is one sorted section of a spill, or unsorted entries in a store. It points to its section,
// since a job has a run for each map and reduce.
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

// OfSpills returns the segment of one partition's records in spills; the caller must release it.
func OfSpills(spills []*Spill, partition int) *Segment {
	s := &Segment{runs: make([]run, 0, len(spills))}
	for _, f := range spills {
		s.add(f.run(&f.sections[partition]))
	}
	return s
}

// add adds a run with a reference to its memory or spill, unless it is empty.
func (s *Segment) add(r run) {
	if r.records == 0 {
		return
	}
	r.retain()
	s.runs = append(s.runs, r)
	s.records, s.bytes = s.records+r.records, s.bytes+r.bytes
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
	for i := range s.runs {
		s.runs[i].drop()
	}
	s.runs = nil
}
