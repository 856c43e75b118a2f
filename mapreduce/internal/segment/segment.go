package segment

// Segment is an immutable run of the records of one partition from one attempt:
// the runs the attempt spilled, sorted, in files, then what it still had in
// memory, indexed but not yet sorted. It is safe for concurrent readers.
type Segment struct {
	runs           []run
	records, bytes int64
}

// run is a part of a segment: a section of a spill file, or entries in a store.
type run struct {
	section
	file    *spillFile
	store   *store
	entries [][]entry
	input   int // of the merge; noInput: none, but a run of the merge itself
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

// Bytes returns the key and value bytes of all records: the amount a shuffle
// moves, whether the segment lies in memory or in a file.
func (s *Segment) Bytes() int64 { return s.bytes }

// Spilled returns how many of the segment's records lie in spill files.
func (s *Segment) Spilled() int64 {
	var n int64
	for i := range s.runs {
		if s.runs[i].file != nil {
			n += s.runs[i].records
		}
	}
	return n
}

// Release drops the caller's hold on the segment; its memory or file goes when
// no merge reads it any more. To be called exactly once.
func (s *Segment) Release() {
	for i := range s.runs {
		s.runs[i].drop()
	}
	s.runs = nil
}
