package read

import (
	"context"
	"errors"
	"io"
	"sync/atomic"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
	"github.com/tarry-mr/tarry/mapreduce/internal/input"
	"github.com/tarry-mr/tarry/mapreduce/internal/watch"
)

// Windows are the sizes, in bytes, in which a Reader reads its split.
type Windows struct {
	Run      int // size of a run; also of the buffer of a stream
	Crossing int // first read of a record that a view does not contain whole
	// Span is the maximum size of a View that copies: one of a stored source over several blocks.
	// Views of mapped files, and within a block, copy nothing and may have any length.
	Span int
	// Record is the maximum size of a record held in memory; 0 means what the budget allows.
	Record int64
}

// UsualWindows returns the sizes for attempts; only tests use others.
func UsualWindows() Windows { return Windows{Run: 1 << 20, Crossing: 64 << 10, Span: 16 << 20} }

// Reader reads one split for one attempt, record by record. One goroutine uses it.
type Reader struct {
	Ctx context.Context
	Windows
	Place
	Source    input.Source
	Split     cluster.Split
	Watch     *cluster.Watch    // may be nil
	Progress  *cluster.Progress // may be nil
	Budget    *cluster.Memory   // pays for the buffer of a stream; may be nil
	Pool      *cluster.Buffers  // supplies it; may be nil
	BytesRead int64             // so far, as stored
	Mapped    int64             // records that the map has got so far, with the current one
	unmapped  int64             // bad records that it has not got
	Skips     *Skips            // skipped records; may be nil
	Copies    *watch.Copies     // copies of the records, if debug mode watches the map; else nil
	Ordinal   bool              // records are not bytes: Place.At counts records
	Part      bool              // the split is a part that the input's own division returned, not a range of bytes
	// Pin, if not nil, takes ownership of each view: it calls release when the bytes are no longer
	// needed.
	Pin func(view []byte, release func())
	// Copied says that the map's output contains no part of a record, so that records may share
	// memory.
	Copied bool

	head string // first bytes of the record at which reading stopped
	size int    // of that record
}

// Tick counts n bytes read, for each run. It returns an error if the attempt must end.
func (s *Reader) Tick(n int64) error {
	s.BytesRead += n
	if s.Progress != nil {
		s.Progress.Bytes.Store(s.BytesRead)
	}
	if s.Watch != nil {
		return s.Watch.Now()
	}
	return context.Cause(s.Ctx)
}

// YieldRun yields the run at offset at. If yield panics or exits its goroutine, in a map or in a
// decoder, the error is that of the current record.
func (s *Reader) YieldRun(at int64, run []byte, yield func(run []byte) error) (err error) {
	s.At = at
	s.Enter(nil, nil)
	if s.Progress != nil {
		s.Progress.Run(at, len(run))
	}
	err = fault.ErrExited
	defer s.PlacePanic(&err)
	return yield(run)
}

// Runs passes all records that start in the split to yield, as runs of whole records.
func (s *Reader) Runs(ends Ends, yield func(run []byte) error) error {
	if !s.Source.Splittable() {
		return s.streamRuns(ends, yield)
	}
	return s.viewRuns(ends, yield)
}

// viewRuns reads the source through views that begin with a record.
//
//  1. pos = the first record start at or after the split's offset.
//  2. View from pos to the split's end, at most a span, so that the view stays in its block, and
//     yield its whole records, a window at a time.
//  3. If a record crosses the end of the view, view that record alone: one window first, then
//     twice as much until it is whole or the file ends.
func (s *Reader) viewRuns(ends Ends, yield func(run []byte) error) error {
	end := s.Split.Offset + s.Split.Length
	pos, err := s.firstRecord(ends, end)
	for err == nil && pos < end {
		var used int64
		if used, err = s.wholeRecords(ends, pos, end, yield); err == nil && used == 0 {
			used, err = s.crossingRecord(ends, pos, yield)
		}
		pos += used
	}
	return err
}

// wholeRecords is step 2 of viewRuns: it yields the whole records of a view and returns their size.
func (s *Reader) wholeRecords(ends Ends, pos, end int64, yield func(run []byte) error) (int64, error) {
	view, release, err := s.Source.Data.View(pos, int(min(end-pos, int64(s.Span))))
	if err != nil {
		return 0, input.Named(s.Source, err)
	}
	if s.Pin != nil {
		s.Pin(view, release)
	} else {
		defer release()
	}
	total := int64(0)
	for want := s.Run; ; {
		used := ends.Last(view[:min(want, len(view))])
		if used == 0 {
			if want >= len(view) {
				return total, nil
			}
			want *= 2
			continue
		}
		want = s.Run
		if err := s.Tick(int64(used)); err != nil {
			return total, err
		}
		if err := s.YieldRun(pos+total, view[:used:used], yield); err != nil {
			return total, err
		}
		view = view[used:]
		total += int64(used)
	}
}

// crossingRecord is step 3 of viewRuns: it yields the record at pos and returns its size.
func (s *Reader) crossingRecord(ends Ends, pos int64, yield func(run []byte) error) (int64, error) {
	size, most := s.Source.Data.Size(), s.maxView()
	for want := int64(s.Crossing); ; want *= 2 {
		n := min(want, size-pos, most)
		used := 0
		err := s.Look(pos, n, func(view []byte) error {
			if used = ends.First(view); used == 0 && pos+n == size {
				used = len(view)
			}
			if err := s.Tick(int64(used)); err != nil || used == 0 {
				return err
			}
			return s.YieldRun(pos, view[:used:used], yield)
		})
		if used > 0 || err != nil {
			return int64(used), err
		}
		if n == most {
			return 0, s.TooLarge(pos, most)
		}
	}
}

// Look calls fn with n bytes of the source at pos, and releases them even if fn panics.
func (s *Reader) Look(pos, n int64, fn func(view []byte) error) error {
	view, release, err := s.Source.Data.View(pos, int(n))
	if err != nil {
		return input.Named(s.Source, err)
	}
	defer release()
	return fn(view)
}

// firstRecord returns the offset of the first record that starts at or after the split's offset, or
// at least end if no record starts before end.
func (s *Reader) firstRecord(ends Ends, end int64) (int64, error) {
	off := s.Split.Offset
	if r, ok := ends.(starts); ok {
		return r.Start(s, off, end)
	}
	if n, ok := ends.(everyN); ok {
		return (off + int64(n) - 1) / int64(n) * int64(n), nil
	}
	if off == 0 {
		return 0, nil
	}
	for at := off - 1; at < end-1; {
		n := min(int64(s.Run), end-1-at)
		used := 0
		err := s.Look(at, n, func(view []byte) error {
			used = ends.First(view)
			return s.Tick(0)
		})
		if used > 0 || err != nil {
			return at + int64(used), err
		}
		at += n
	}
	return end, nil
}

// streamRuns reads a source from start to end through one buffer, which grows only for a record
// that does not fit.
func (s *Reader) streamRuns(ends Ends, yield func(run []byte) error) (err error) {
	var stored atomic.Int64
	r, err := input.Open(s.Source, &stored)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	buf := s.newBuffer(s.Run)
	defer func() { buf.free() }()
	held, done := 0, int64(0)
	for eof := false; !eof; {
		if held == len(buf.b) {
			if buf, err = s.larger(buf, done); err != nil {
				return err
			}
		}
		n, err := input.Fill(r, buf.b[held:])
		if eof = err == io.EOF; err != nil && !eof { //nolint:errorlint // a wrapped EOF is a damaged stream
			return err
		}
		held += n
		used := ends.Last(buf.b[:held])
		if eof {
			used = held
		}
		if err := s.Tick(stored.Swap(0)); err != nil {
			return err
		}
		if used == 0 {
			continue
		}
		if err := s.YieldRun(done, buf.b[:used:used], yield); err != nil {
			return err
		}
		held = copy(buf.b, buf.b[used:held])
		done += int64(used)
	}
	return nil
}

// streamBuffer is a buffer from a pool, charged to a budget.
type streamBuffer struct {
	b    []byte
	free func()
}

func (s *Reader) newBuffer(n int) streamBuffer {
	slab := s.Pool.Get(n)
	size := int64(len(slab.Bytes))
	s.Budget.Acquire(size)
	return streamBuffer{b: slab.Bytes[:n], free: func() {
		s.Pool.Put(slab)
		s.Budget.Release(size)
	}}
}

// larger returns a buffer of twice the size with the content of buf, the beginning of one record at
// byte `at` of the source. After an error buf is unchanged.
func (s *Reader) larger(buf streamBuffer, at int64) (streamBuffer, error) {
	held := len(buf.b)
	limit := s.Largest()
	if int64(held) >= limit {
		return buf, s.TooLarge(at, limit)
	}
	larger := s.newBuffer(int(min(2*int64(held), limit)))
	copy(larger.b, buf.b)
	buf.free()
	return larger, nil
}
