package mapreduce

import (
	"context"
	"errors"
	"io"
)

// window is how much input is looked at in one go, in bytes.
const window = 1 << 20

// splitReader reads one split for one attempt.
type splitReader struct {
	ctx    context.Context
	source Source
	split  Split
	res    *Resources // may be nil
	read   int64      // bytes of input so far
	seen   int        // calls of tick
}

// tick counts n bytes and, for every 256th record or each window, looks whether
// the attempt goes on.
func (s *splitReader) tick(n int64, i int) error {
	s.read += n
	if i&255 != 0 {
		return nil
	}
	if s.res != nil {
		if s.res.Progress != nil {
			s.res.Progress.Bytes.Store(s.read)
		}
		if s.res.Pause != nil {
			if err := s.res.Pause(s.ctx); err != nil {
				return err
			}
		}
	}
	return context.Cause(s.ctx)
}

// runs yields the records that start in the split as runs of whole records.
func (s *splitReader) runs(ends recordEnds, yield func(run []byte) error) error {
	if !s.source.Splittable() {
		return s.streamRuns(ends, yield)
	}
	return s.viewRuns(ends, yield)
}

// viewRuns looks at the source through windows that begin with a record.
//
//  1. pos = the first record start at or after the split's offset.
//  2. View a window at pos. If the split ends beyond it, yield its whole records;
//     else yield up to the end of the record that holds the split's last byte.
//  3. A window without a whole record is doubled; at the end of the file what is
//     left is the last record.
func (s *splitReader) viewRuns(ends recordEnds, yield func(run []byte) error) error {
	data, size := s.source.Data, s.source.Data.Size()
	end := s.split.Offset + s.split.Length
	pos, err := s.firstRecord(ends, end)
	if err != nil {
		return err
	}
	want := int64(window)
	for pos < end {
		n := min(want, size-pos)
		if n <= 0 {
			return nil
		}
		b, release, err := data.View(pos, int(n))
		if err != nil {
			return err
		}
		used := cutRun(ends, b, end-pos, pos+n == size)
		if used == 0 {
			release()
			want *= 2
			continue
		}
		want = window
		pos += int64(used)
		if err = s.tick(int64(used), 0); err == nil {
			err = yield(b[:used:used])
		}
		release()
		if err != nil {
			return err
		}
	}
	return nil
}

// cutRun returns how many bytes of b, which begins with a record, to yield: whole
// records that start before left, the distance to the split's end.
func cutRun(ends recordEnds, b []byte, left int64, eof bool) int {
	used := 0
	if left > int64(len(b)) {
		used = ends.last(b)
	} else {
		used = ends.first(b, int(left)-1)
	}
	if used == 0 && eof {
		used = len(b)
	}
	return used
}

// firstRecord returns where the first record that starts at or after the split's
// offset starts, or a position of at least end if none starts before end.
func (s *splitReader) firstRecord(ends recordEnds, end int64) (int64, error) {
	off := s.split.Offset
	if n, ok := ends.(everyN); ok {
		return (off + int64(n) - 1) / int64(n) * int64(n), nil
	}
	if off == 0 {
		return 0, nil
	}
	for at := off - 1; at < end-1; {
		n := min(window, end-1-at)
		b, release, err := s.source.Data.View(at, int(n))
		if err != nil {
			return 0, err
		}
		i := ends.first(b, 0)
		release()
		if i > 0 {
			return at + int64(i), nil
		}
		at += n
		if err := s.tick(0, 0); err != nil {
			return 0, err
		}
	}
	return end, nil
}

// streamRuns reads a source from start to end through one buffer, which grows
// only for a record that does not fit.
func (s *splitReader) streamRuns(ends recordEnds, yield func(run []byte) error) (err error) {
	r, err := s.source.open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	buf := make([]byte, window)
	held := 0
	for eof := false; !eof; {
		if held == len(buf) {
			buf = append(buf, make([]byte, len(buf))...)
		}
		n, err := io.ReadFull(r, buf[held:])
		eof = errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		if err != nil && !eof {
			return err
		}
		held += n
		used := ends.last(buf[:held])
		if eof {
			used = held
		}
		if err := s.tick(int64(n), 0); err != nil {
			return err
		}
		if used == 0 {
			continue
		}
		if err := yield(buf[:used:used]); err != nil {
			return err
		}
		held = copy(buf, buf[used:held])
	}
	return nil
}

// all returns the whole source.
func (s *splitReader) all() (data []byte, done func(), err error) {
	if s.source.Splittable() {
		data, done, err = s.source.Data.View(0, int(s.source.Data.Size()))
		if err == nil {
			err = s.tick(int64(len(data)), 0)
		}
		return data, done, err
	}
	r, err := s.source.open()
	if err != nil {
		return nil, nil, err
	}
	data, err = io.ReadAll(r)
	err = errors.Join(err, r.Close(), s.tick(int64(len(data)), 0))
	return data, func() {}, err
}
