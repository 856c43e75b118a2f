package codec

import (
	"encoding/binary"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// Framed returns, for one goroutine, a function that appends what encode appends for a value, after
// its length. It never fails.
func Framed(encode func(dst []byte, v memory.Pointer) []byte) func(dst []byte, v memory.Pointer) ([]byte, error) {
	var scratch []byte
	return func(dst []byte, v memory.Pointer) ([]byte, error) {
		scratch = encode(scratch[:0], v)
		return append(binary.AppendUvarint(dst, uint64(len(scratch))), scratch...), nil
	}
}

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
