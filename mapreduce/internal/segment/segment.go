package segment

// Segment is an immutable run of the records of one partition from one attempt: the sorted runs
// that the attempt spilled, in files, and then the rest in memory, indexed but not sorted. It is
// safe for concurrent readers.
type Segment struct {
	spills         []*Spill // shared with the other partitions
	partition      int
	store          *store // nil if nothing is in memory
	entries        index
	inMemory       section
	records, bytes int64
}

// OfSpills returns the segment of one partition's records in spills; the caller must release it. It
// keeps the slice, which all partitions may share.
func OfSpills(spills []*Spill, partition int) *Segment {
	seg := &Segment{partition: partition}
	for _, f := range spills {
		if x := &f.sections[partition]; x.records > 0 {
			f.retain()
			seg.spills = spills
			seg.records, seg.bytes = seg.records+x.records, seg.bytes+x.bytes
		}
	}
	return seg
}

// runs returns the segment's runs in the order in which the attempt emitted their records.
func (s *Segment) runs() (list []run) {
	for _, f := range s.spills {
		if x := f.sections[s.partition]; x.records > 0 {
			list = append(list, run{file: f, section: x})
		}
	}
	if s.store != nil {
		list = append(list, run{store: s.store, entries: s.entries, section: s.inMemory})
	}
	return list
}

// run is one sorted section of a spill file, or unsorted entries in a store, of a segment.
type run struct {
	section
	file    *spillFile
	store   *store
	entries index
	input   int    // number of the input for a DamageError, or noInput
	ordinal uint32 // number among the runs of a merge: equal keys come in that order
}

func (r *run) retain() {
	if r.file != nil {
		r.file.retain()
	} else {
		r.store.retain()
	}
}

func (r *run) drop() {
	if r.file != nil {
		r.file.drop()
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
		if f.sections[s.partition].records > 0 {
			f.drop()
		}
	}
	if s.store != nil {
		s.store.drop()
	}
	s.spills, s.store, s.entries = nil, nil, index{}
}
