package read

// Ends finds where records end, so that a Reader can split bytes into whole records.
type Ends interface {
	// Last returns the length of the longest run of whole records at the beginning of b, which
	// begins with a record; 0 if b has no whole record.
	Last(b []byte) int
	// First returns the length of the record at the beginning of b, with what separates it from the
	// next one, or 0 if it does not end in b.
	First(b []byte) int
}

// starts is an Ends that cannot find the next record from any byte. Start returns the offset of the
// first record at or after off, or end or more if none begins before end.
type starts interface {
	Start(s *Reader, off, end int64) (int64, error)
}

type everyN int

func (n everyN) length([]byte) int { return int(n) }

func (n everyN) Last(b []byte) int { return len(b) / int(n) * int(n) }

func (n everyN) First(b []byte) int { return n.Last(b[:min(int(n), len(b))]) }
