package codec

import "encoding/binary"

// Frame returns the record at the start of b without its length prefix, and the size of both; size
// is 0 if b does not contain all of it.
func Frame(b []byte) (rec []byte, size int) {
	n, k := binary.Uvarint(b)
	if k <= 0 || n > uint64(len(b)-k) {
		return nil, 0
	}
	size = k + int(n)
	return b[k:size:size], size
}
