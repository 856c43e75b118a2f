package mapreduce

import (
	"bytes"
	"unsafe"
)

// Separated yields records that end with the byte sep, without it, such as the names that find -print0
// writes, or with 0x1e JSON text sequences. The last record of a file need not end in one. It is
// [Lines] for another byte than the line feed, and is cut as that is.
func Separated(sep byte, sources ...Source) Input[[]byte] {
	return Input[[]byte]{sources: sources, read: func(s *splitReader, yield func([]byte) error) error {
		return s.runs(byteEnds(sep), func(run []byte) error { return s.eachSeparated(run, byteEnds(sep), yield) })
	}}
}

func (s *splitReader) eachSeparated(run []byte, sep byteEnds, yield func([]byte) error) (err error) {
	s.first, s.now = unsafe.SliceData(run), nil
	err = ErrExited
	defer s.placePanic(run, &s.now, sep.length, &err)
	for rest := run; len(rest) > 0; {
		n := sep.length(rest)
		s.now = unsafe.SliceData(rest)
		err := yield(rest[:n:n])
		if err != nil {
			err = s.refused(run, rest[:n], err)
		}
		if err != nil {
			return err
		}
		rest = rest[min(n+1, len(rest)):]
	}
	return nil
}

// byteEnds are the recordEnds of records that end with a byte.
type byteEnds byte

// length is that of the record that b begins with.
func (e byteEnds) length(b []byte) int {
	if i := bytes.IndexByte(b, byte(e)); i >= 0 {
		return i
	}
	return len(b)
}

func (e byteEnds) last(b []byte) int { return bytes.LastIndexByte(b, byte(e)) + 1 }

func (e byteEnds) first(b []byte, from int) int {
	if i := bytes.IndexByte(b[from:], byte(e)); i >= 0 {
		return from + i + 1
	}
	return 0
}

func (byteEnds) resume(n int) int { return n }
