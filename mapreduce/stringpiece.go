package mapreduce

import "unsafe"

// pieceBytes is the size of a stringPiece. An allocation for each line takes a tenth of a WordCount
// of strings; pieces of 4 KiB take as long as those of 1 KiB.
const pieceBytes = 1 << 10

// stringPiece is the memory of some short strings that are made one after another.
type stringPiece struct {
	bytes []byte
	used  int // of bytes; no slice of what is free, which would be a pointer that each string changes
}

// hold returns a copy of b. Long ones have memory of their own.
func (p *stringPiece) hold(b []byte) string {
	if len(b) > len(p.bytes)-p.used {
		if len(b) > pieceBytes/4 {
			return string(b)
		}
		p.bytes, p.used = make([]byte, pieceBytes), 0
	}
	s := p.bytes[p.used:][:len(b)]
	p.used += copy(s, b)
	return unsafe.String(unsafe.SliceData(s), len(s))
}
