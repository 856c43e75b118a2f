package mapreduce

import (
	"context"
	"errors"
	"io"
	"sync/atomic"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/internal/input"
)

// windows are the sizes, in bytes, in which a split is read.
type windows struct {
	run      int // yielded at once; also the buffer of a stream
	crossing int // first view of a record that crosses the end of a view
	// span is the maximum size of one View of a stored source. Views of mapped files and within a
	// block cost nothing, whatever their length.
	span int
	// record is the maximum size of a record held in memory; 0 means what the budget allows.
	record int64
}

func usualWindows() windows { return windows{run: 1 << 20, crossing: 64 << 10, span: 16 << 20} }

// splitReader reads one split for one attempt.
type splitReader struct {
	ctx context.Context
	windows
	place
	source   Source
	split    cluster.Split
	watch    *cluster.Watch    // may be nil
	progress *cluster.Progress // may be nil
	budget   *cluster.Memory   // pays for the buffer of a stream; may be nil
	pool     *cluster.Buffers  // supplies it; may be nil
	read     int64             // bytes of input so far, as stored
	head     string            // first bytes of the record at which reading stopped
	size     int               // of that record
	number   int64             // of the record that an error is about
	skips    *skips            // skipped records; may be nil
	task     *Task             // receives the records; nil while lines are counted
	ordinal  bool              // records are not bytes: at is a number
	part     bool              // the input has chosen this split itself
	// pin, if not nil, takes ownership of each view: it calls release when the bytes are no longer
	// needed.
	pin func(view []byte, release func())
	// copied means that the map's output does not refer to records, so that several records may
	// share one piece of memory.
	copied bool
}

// tick counts n bytes and returns an error if the attempt must end. It is called for every run.
func (s *splitReader) tick(n int64) error {
	s.read += n
	if s.progress != nil {
		s.progress.Bytes.Store(s.read)
	}
	if s.watch != nil {
		return s.watch.Now()
	}
	return context.Cause(s.ctx)
}

// begin notes the run of n bytes that is yielded next.
func (s *splitReader) begin(at int64, n int) {
	s.at = at
	s.enter(nil, nil)
	if s.progress != nil {
		s.progress.Run(at, n)
	}
}

// runs yields the records that start in the split as runs of whole records.
func (s *splitReader) runs(ends recordEnds, yield func(run []byte) error) error {
	if !s.source.Splittable() {
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
func (s *splitReader) viewRuns(ends recordEnds, yield func(run []byte) error) error {
	end := s.split.Offset + s.split.Length
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

// wholeRecords is step 2; it returns the bytes yielded.
func (s *splitReader) wholeRecords(ends recordEnds, pos, end int64, yield func(run []byte) error) (int64, error) {
	view, release, err := s.source.Data.View(pos, int(min(end-pos, int64(s.span))))
	if err != nil {
		return 0, input.Named(s.source, err)
	}
	if s.pin != nil {
		s.pin(view, release)
	} else {
		defer release()
	}
	total := int64(0)
	for want := s.run; ; {
		used := ends.last(view[:min(want, len(view))])
		if used == 0 {
			if want >= len(view) {
				return total, nil
			}
			want *= 2
			continue
		}
		want = s.run
		if err := s.tick(int64(used)); err != nil {
			return total, err
		}
		s.begin(pos+total, used)
		if err := yield(view[:used:used]); err != nil {
			return total, err
		}
		view = view[used:]
		total += int64(used)
	}
}

// crossingRecord is step 3; it returns the bytes yielded.
func (s *splitReader) crossingRecord(ends recordEnds, pos int64, yield func(run []byte) error) (int64, error) {
	size, most := s.source.Data.Size(), s.maxView()
	from := 0
	for want := int64(s.crossing); ; want *= 2 {
		n := min(want, size-pos, most)
		used := 0
		err := s.look(pos, n, func(view []byte) error {
			if used = ends.first(view, from); used == 0 && pos+n == size {
				used = len(view)
			}
			if err := s.tick(int64(used)); err != nil || used == 0 {
				from = ends.resume(len(view))
				return err
			}
			s.begin(pos, used)
			return yield(view[:used:used])
		})
		if used > 0 || err != nil {
			return int64(used), err
		}
		if n == most {
			return 0, s.tooLarge(pos, most)
		}
	}
}

// look calls fn with n bytes of the source, and releases them even if fn panics.
func (s *splitReader) look(pos, n int64, fn func(view []byte) error) error {
	view, release, err := s.source.Data.View(pos, int(n))
	if err != nil {
		return input.Named(s.source, err)
	}
	defer release()
	return fn(view)
}

// firstRecord returns the offset of the first record that starts at or after the split's offset, or
// at least end if no record starts before end.
func (s *splitReader) firstRecord(ends recordEnds, end int64) (int64, error) {
	off := s.split.Offset
	if r, ok := ends.(recordStarts); ok {
		return r.start(s, off, end)
	}
	if n, ok := ends.(everyN); ok {
		return (off + int64(n) - 1) / int64(n) * int64(n), nil
	}
	if off == 0 {
		return 0, nil
	}
	for at := off - 1; at < end-1; {
		n := min(int64(s.run), end-1-at)
		used := 0
		err := s.look(at, n, func(view []byte) error {
			used = ends.first(view, 0)
			return s.tick(0)
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
func (s *splitReader) streamRuns(ends recordEnds, yield func(run []byte) error) (err error) {
	var stored atomic.Int64
	r, err := input.Open(s.source, &stored)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	buf := s.newBuffer(s.run)
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
		used := ends.last(buf.b[:held])
		if eof {
			used = held
		}
		if err := s.tick(stored.Swap(0)); err != nil {
			return err
		}
		if used == 0 {
			continue
		}
		s.begin(done, used)
		if err := yield(buf.b[:used:used]); err != nil {
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

func (s *splitReader) newBuffer(n int) streamBuffer {
	slab := s.pool.Get(n)
	size := int64(len(slab.Bytes))
	s.budget.Acquire(size)
	return streamBuffer{b: slab.Bytes[:n], free: func() {
		s.pool.Put(slab)
		s.budget.Release(size)
	}}
}

// larger returns a buffer of twice the size with the content of buf: one record that begins at byte
// at. After an error buf is unchanged.
func (s *splitReader) larger(buf streamBuffer, at int64) (streamBuffer, error) {
	held := len(buf.b)
	limit := s.largest()
	if int64(held) >= limit {
		return buf, s.tooLarge(at, limit)
	}
	larger := s.newBuffer(int(min(2*int64(held), limit)))
	copy(larger.b, buf.b)
	buf.free()
	return larger, nil
}
