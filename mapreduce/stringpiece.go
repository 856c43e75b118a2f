package mapreduce

import "unsafe"

// pieceBytes is the size of a stringPiece. An allocation for each line takes a tenth of a WordCount
// of strings; pieces of 4 KiB take as long as those of 1 KiB.
const pieceBytes = 1 << 10

// stringPiece is the memory of some short strings that are made one after another.
type stringPiece struct{ free []byte }

// hold returns a copy of b. Long ones have memory of their own.
func (p *stringPiece) hold(b []byte) string {
	if len(b) > len(p.free) {
		if len(b) > pieceBytes/4 {
			return string(b)
		}
		p.free = make([]byte, pieceBytes)
	}
	n := copy(p.free, b)
	s := unsafe.String(unsafe.SliceData(p.free), n)
	p.free = p.free[n:]
	return s
}
