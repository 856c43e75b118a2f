package read

// Ends finds where records end, so that a Reader can split bytes into whole records.
type Ends interface {
	// Last returns the length of the longest run of whole records at the beginning of b, which
	// begins with a record; 0 if b has no whole record.
	Last(b []byte) int
	// First returns the length of b up to the end of the record that contains byte from, or 0 if
	// that record does not end in b. b begins with a record.
	First(b []byte, from int) int
	// Resume returns the from for a longer b, after First found no end in its first n bytes.
	Resume(n int) int
}

// starts is an Ends that cannot find the next record from any byte. Start returns the offset of the
// first record at or after off, or end or more if none begins before end.
type starts interface {
	Start(s *Reader, off, end int64) (int64, error)
}

type everyN int

func (n everyN) length([]byte) int { return int(n) }

func (n everyN) Last(b []byte) int { return len(b) / int(n) * int(n) }

func (n everyN) First(b []byte, from int) int {
	if end := (from/int(n) + 1) * int(n); end <= len(b) {
		return end
	}
	return 0
}

func (everyN) Resume(int) int { return 0 }
