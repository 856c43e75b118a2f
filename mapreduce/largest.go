package mapreduce

import (
	"errors"
	"fmt"
	"io"
	"math"
	"sync/atomic"

	"github.com/tarry-mr/tarry/dfs"
	"github.com/tarry-mr/tarry/mapreduce/internal/input"
	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// ErrRecordTooLarge is wrapped by the error of an attempt that would have to hold a record larger
// than [Task.LargestRecord]: a quarter of the memory budget, but at least 16 MiB and at most 1 GiB.
// The error is permanent. The limit applies to input records outside of mapped files, to keys with
// their combined values, and to spilled pairs that a Reduce receives. Records that are only scanned
// or passed through may have any size: lines of a mapped file, pairs of a job that sorts bytes.
var ErrRecordTooLarge = memory.ErrRecordTooLarge

// largest returns the maximum size of a record that the attempt holds, in bytes.
func (s *splitReader) largest() int64 {
	if s.windows.record > 0 {
		return s.windows.record
	}
	return s.budget.Largest()
}

// maxView returns the maximum size of a record in a View: unlimited, unless the view is a copy.
func (s *splitReader) maxView() int64 {
	if dfs.Shared(s.source.Data) {
		return math.MaxInt64
	}
	return s.largest()
}

// checkLength returns an error if the current record, of n bytes, is too large to be copied.
func (s *splitReader) checkLength(n int) error {
	if limit := s.largest(); int64(n) > limit {
		return s.tooLarge(s.offset(), limit)
	}
	return nil
}

func (s *splitReader) tooLarge(at, limit int64) error {
	where := ""
	if input.Packed(s.source) {
		where = " of its content"
	}
	return fmt.Errorf("%s: %w: the one that begins at byte %d%s is longer than %d bytes, %s",
		s.source.Name(), ErrRecordTooLarge, at, where, limit, s.budget.WhyLargest(limit))
}

// wholeSource calls fn with the whole source.
func (s *splitReader) wholeSource(fn func(data []byte) error) error {
	count := func(data []byte, stored int64) error {
		if err := s.tick(stored); err != nil {
			return err
		}
		return fn(data)
	}
	if s.source.Splittable() {
		size := s.source.Data.Size()
		if most := s.maxView(); size > most {
			return s.tooLarge(0, most)
		}
		return s.look(0, size, func(data []byte) error { return count(data, size) })
	}
	return s.wholeStream(count)
}

// wholeStream is wholeSource for a source that can only be read from start to end.
func (s *splitReader) wholeStream(fn func(data []byte, stored int64) error) (err error) {
	var stored atomic.Int64
	r, err := input.Open(s.source, &stored)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	buf := s.newBuffer(s.run)
	defer func() { buf.free() }()
	for held := 0; ; {
		n, err := input.Fill(r, buf.b[held:])
		held += n
		switch {
		case err == io.EOF: //nolint:errorlint // a wrapped EOF is a damaged stream
			return fn(buf.b[:held:held], stored.Load())
		case err != nil:
			return err
		}
		if buf, err = s.larger(buf, 0); err != nil {
			return err
		}
	}
}
