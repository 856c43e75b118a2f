package read

import (
	"fmt"
	"math"

	"github.com/tarry-mr/tarry/dfs"
	"github.com/tarry-mr/tarry/mapreduce/internal/input"
	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// Largest returns the maximum bytes of a record that the attempt may hold in memory.
func (s *Reader) Largest() int64 {
	if s.Windows.Record > 0 {
		return s.Windows.Record
	}
	return s.Budget.Largest()
}

// maxView returns the maximum size of a record to View: no limit, unless views are copies.
func (s *Reader) maxView() int64 {
	if dfs.Shared(s.Source.Data) {
		return math.MaxInt64
	}
	return s.Largest()
}

// CheckLength returns an error if the current record, of n bytes, exceeds Largest, for its copy.
func (s *Reader) CheckLength(n int) error {
	if limit := s.Largest(); int64(n) > limit {
		return s.TooLarge(s.Offset(), limit)
	}
	return nil
}

// TooLarge returns the error for a record at offset `at` that is larger than limit bytes.
func (s *Reader) TooLarge(at, limit int64) error {
	where := ""
	if input.Packed(s.Source) {
		where = " of its content"
	}
	return fmt.Errorf("%s: %w: the one that begins at byte %d%s is longer than %d bytes, %s",
		s.Source.Name(), memory.ErrRecordTooLarge, at, where, limit, s.Budget.WhyLargest(limit))
}

// WholeSource calls fn with all bytes of the source, decompressed.
func (s *Reader) WholeSource(fn func(data []byte) error) error {
	if s.Source.Splittable() {
		size := s.Source.Data.Size()
		if most := s.maxView(); size > most {
			return s.TooLarge(0, most)
		}
		return s.Look(0, size, func(data []byte) error {
			if err := s.Tick(size); err != nil {
				return err
			}
			return s.YieldRun(0, data, fn)
		})
	}
	empty := true
	err := s.streamRuns(everyN(math.MaxInt), func(run []byte) error { // the file ends within its first record
		empty = false
		return fn(run)
	})
	if err == nil && empty {
		err = s.YieldRun(0, []byte{}, fn)
	}
	return err
}

// Whole returns an Input that yields each source as one record, the result of record.
func Whole[I any](record func(name string, data []byte) I) Input[I] {
	return func(s *Reader, yield func([]I) error) error {
		return s.WholeSource(func(data []byte) error {
			s.EnterRecord(data)
			return yield([]I{record(s.Source.Name(), data)})
		})
	}
}
