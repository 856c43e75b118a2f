package mapreduce

import (
	"errors"
	"fmt"
	"io"
	"math"
	"sync/atomic"

	"github.com/tarry-mr/tarry/dfs"
)

// ErrRecordTooLarge is wrapped by the error of an attempt whose input holds a record that is
// larger than it may hold in memory: a quarter of the memory budget, but 16 MiB in any case, and
// never more than 1 GiB. Records of files that are mapped are not held, and have any size.
var ErrRecordTooLarge = errors.New("record too large")

const (
	leastLargest = 16 << 20
	mostLargest  = 1 << 30
)

// largest is the most bytes of a record that the attempt holds.
func (s *splitReader) largest() int64 {
	switch limit := s.budget.Limit(); {
	case s.windows.record > 0:
		return s.windows.record
	case limit > 0:
		return min(max(limit/4, leastLargest), mostLargest)
	default:
		return mostLargest
	}
}

// mostViewed is the most bytes of a record that a View may show: any number, unless it is a copy.
func (s *splitReader) mostViewed() int64 {
	if dfs.Shared(s.source.Data) {
		return math.MaxInt64
	}
	return s.largest()
}

// kept refuses a record of n bytes, the first of its run, that is about to be copied.
func (s *splitReader) kept(n int) error {
	if limit := s.largest(); int64(n) > limit {
		return s.tooLarge(s.at, limit)
	}
	return nil
}

func (s *splitReader) tooLarge(at, limit int64) error {
	where, why := "", "the most that is held in memory"
	if s.source.packed != notPacked {
		where = " of its content"
	}
	if limit == s.budget.Limit()/4 {
		why = "a quarter of the memory budget"
	}
	return fmt.Errorf("%s: %w: the one that begins at byte %d%s is longer than %d bytes, %s", s.source.name, ErrRecordTooLarge, at, where, limit, why)
}

// all calls fn with the whole source.
func (s *splitReader) all(fn func(data []byte) error) error {
	count := func(data []byte, stored int64) error {
		if err := s.tick(stored); err != nil {
			return err
		}
		return fn(data)
	}
	if s.source.Splittable() {
		size := s.source.Data.Size()
		if most := s.mostViewed(); size > most {
			return s.tooLarge(0, most)
		}
		return s.look(0, size, func(data []byte) error { return count(data, size) })
	}
	return s.allOfStream(count)
}

// allOfStream is all for what can only be read from start to end.
func (s *splitReader) allOfStream(fn func(data []byte, stored int64) error) (err error) {
	var stored atomic.Int64
	r, err := s.source.open(&stored)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	buf := s.newBuffer(s.run)
	defer func() { buf.free() }()
	for held := 0; ; {
		n, err := fill(r, buf.b[held:])
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
