package segment

// Segment is an immutable run of the records of one partition from one attempt.
// It is safe for concurrent readers.
type Segment struct{ records []record }

// Records returns the number of records.
func (s *Segment) Records() int64 { return int64(len(s.records)) }

// Bytes returns the key and value bytes of all records: the amount a shuffle
// moves, whether the segment lies in memory or in a file.
func (s *Segment) Bytes() int64 {
	n := 0
	for _, r := range s.records {
		n += len(r.key) + len(r.value)
	}
	return int64(n)
}

// Release drops the caller's hold on the segment; its memory or file goes when
// no merge reads it any more. To be called exactly once.
func (s *Segment) Release() {}
