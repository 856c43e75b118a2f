package read

import (
	"bytes"

	"github.com/tarry-mr/tarry/mapreduce/internal/scan"
)

// Separated returns an Input of records that end with sep, without it; sep is not empty.
func Separated(sep string) Input[[]byte] {
	if len(sep) == 1 {
		return separatedBy(byteEnds(sep[0]), 1)
	}
	return separatedBy(newTextEnds(sep), len(sep))
}

// separators is an Ends of records with a separator at their ends; everyN's has no bytes.
type separators interface {
	Ends
	// length returns the length of the record at the beginning of b.
	length(b []byte) int
}

func separatedBy(ends separators, size int) Input[[]byte] {
	return func(s *Reader, yield func([][]byte) error) error {
		return s.Runs(ends, func(run []byte) error { return s.eachSeparated(run, ends, size, yield) })
	}
}

// eachSeparated yields the records of a run in batches, without their separators of size bytes.
func (s *Reader) eachSeparated(run []byte, ends separators, size int, yield func([][]byte) error) error {
	s.Enter(run, ends.length)
	batch, begins := make([][]byte, 0, BatchRecords), make([]int, 0, BatchRecords)
	for at, touched := 0, 0; at < len(run); {
		if at >= touched && size > 0 { // records of one size have no ends to search for
			touched = min(at+batchBytes, len(run))
			touch(run[at:touched])
		}
		batch, begins = batch[:0], begins[:0]
		for limit := min(at+batchBytes, len(run)); at < limit && len(batch) < BatchRecords; {
			n := ends.length(run[at:])
			batch, begins = append(batch, run[at:at+n:at+n]), append(begins, at)
			at += n + size
		}
		s.Begins, s.Batch = begins, 0
		if err := yield(batch); err != nil {
			return err
		}
	}
	return nil
}

// cacheLine is the number of bytes that a processor reads from memory at once, or more.
const cacheLine = 64

// touch reads a byte of each cache line of b. The processor fetches these lines at the same time; a
// search for ends would wait for one after the other. README's program takes 0.87 of the time.
//
//go:noinline
func touch(b []byte) (all byte) {
	for i := 0; i < len(b); i += cacheLine {
		all |= b[i]
	}
	return all
}

// byteEnds is the Ends of records that end with this byte.
type byteEnds byte

// LineEnds is the Ends of lines.
const LineEnds = byteEnds('\n')

func (e byteEnds) length(b []byte) int {
	if i := bytes.IndexByte(b, byte(e)); i >= 0 {
		return i
	}
	return len(b)
}

func (e byteEnds) Last(b []byte) int { return scan.LastIndexByte(b, byte(e)) + 1 }

func (e byteEnds) First(b []byte) int { return bytes.IndexByte(b, byte(e)) + 1 }

// textEnds is the Ends of records that end with a separator of two or more bytes.
type textEnds struct {
	sep      []byte
	overlaps bool // the separator may begin within itself, like "aa" in "aaa"
}

func newTextEnds(sep string) *textEnds {
	e := &textEnds{sep: []byte(sep)}
	for i := 1; i < len(sep); i++ {
		e.overlaps = e.overlaps || sep[i:] == sep[:len(sep)-i]
	}
	return e
}

func (e *textEnds) length(b []byte) int {
	if i := bytes.Index(b, e.sep); i >= 0 {
		return i
	}
	return len(b)
}

func (e *textEnds) Last(b []byte) int {
	if !e.overlaps {
		if i := bytes.LastIndex(b, e.sep); i >= 0 {
			return i + len(e.sep)
		}
		return 0
	}
	at := 0
	for {
		i := bytes.Index(b[at:], e.sep)
		if i < 0 {
			return at
		}
		at += i + len(e.sep)
	}
}

func (e *textEnds) First(b []byte) int {
	if i := bytes.Index(b, e.sep); i >= 0 {
		return i + len(e.sep)
	}
	return 0
}

// Start implements starts:
//
//  1. The first record at or after off follows a separator that begins at or after off - len(sep).
//     If separators cannot overlap, it is the first one found there.
//  2. Otherwise step back to a place that no separator can cross: no occurrence, overlapping or
//     not, begins in the len(sep)-1 bytes before it.
//  3. From there on, the scan finds the same separators as a scan from the beginning of the file.
func (e *textEnds) Start(s *Reader, off, end int64) (int64, error) {
	if off == 0 {
		return 0, nil
	}
	size := int64(len(e.sep))
	at := max(off-size, 0)
	if e.overlaps {
		var err error
		if at, err = e.clear(s, at); err != nil {
			return 0, err
		}
	}
	for at+size < end {
		n := min(max(int64(s.Crossing), 2*size), s.Source.Data.Size()-at)
		found := false
		err := s.Look(at, n, func(b []byte) error {
			for i := bytes.Index(b, e.sep); i >= 0 && !found; i = bytes.Index(b, e.sep) {
				at += int64(i) + size
				b = b[i+len(e.sep):]
				found = at >= off
			}
			if !found {
				at += max(int64(len(b))-size+1, 0)
			}
			return s.Tick(0)
		})
		if found || err != nil {
			return at, err
		}
		if n < size {
			break
		}
	}
	return end, nil
}

// clear returns the last offset up to `at` that no separator can cross, step 2 of Start.
func (e *textEnds) clear(s *Reader, at int64) (int64, error) {
	size := int64(len(e.sep))
	for crossed := true; crossed && at > 0; {
		from := max(at-max(int64(s.Crossing), 2*size), 0)
		n := min(at-from+size-1, s.Source.Data.Size()-from)
		err := s.Look(from, n, func(b []byte) error {
			for crossed && at > from && (from == 0 || at-from >= size) {
				low := max(at-size+1, from) // where the first separator that crosses `at` may begin
				i := bytes.Index(b[low-from:min(at-from+size-1, n)], e.sep)
				if crossed = i >= 0; crossed {
					at = low + int64(i)
				}
			}
			return s.Tick(0)
		})
		if err != nil {
			return 0, err
		}
	}
	return at, nil
}
