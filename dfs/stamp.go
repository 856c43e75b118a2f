package dfs

import (
	"fmt"
	"io/fs"
	"os"
	"time"
)

// stamp identifies a version of a file. If two stamps are equal, and the first was settled (see
// settles), nobody wrote to the file between them.
//
// One case is not detected: a write through a mapping changes the stamp only when it first touches
// a page. A page that was touched before the first stamp and not written back since can change
// again without a new stamp.
type stamp struct {
	file     identity // identifies the file
	size     int64
	modified time.Time
	changed  time.Time // time of the last change of the inode; modified if the system has none
	links    uint64    // number of hard links; 0 if unknown
	empty    bool      // it occupies no disk space, whatever its size
}

func stampOf(f *os.File) (stamp, error) {
	info, err := f.Stat()
	if err != nil {
		return stamp{}, err
	}
	return newStamp(info), nil
}

func newStamp(info fs.FileInfo) stamp {
	s := stamp{size: info.Size(), modified: info.ModTime(), changed: info.ModTime()}
	s.system(info)
	return s
}

// File times are coarse. A kernel takes them from a clock with ticks of at most 10 ms, and some
// file systems store only whole or even seconds. A long write sets the time when it begins.
const (
	tick         = 20 * time.Millisecond
	coarse       = 2 * time.Second
	writeRate    = 1 << 30 // bytes per second of one call that writes a whole file
	longestWrite = writeRate / 2
)

// settles returns how long to wait until each later write must change the stamp. It returns 0 for a
// file whose time is in the future, since that clock is unknown.
func (s stamp) settles(now time.Time) time.Duration {
	window := tick + time.Duration(min(s.size, longestWrite))*time.Second/writeRate
	if s.changed.Nanosecond() == 0 {
		window = coarse
	}
	age := now.Sub(s.changed)
	if age < -window || age >= window {
		return 0
	}
	return window - age
}

// same returns an error that says how the file at path has changed since s, or nil. A removed,
// replaced or linked file has another inode time but the same bytes, so it has not changed.
func (s stamp) same(path string, now stamp) error {
	what := ""
	switch {
	case !s.file.same(now.file):
		what = "was replaced"
	case now.size < s.size:
		what = fmt.Sprintf("shrank from %d to %d bytes", s.size, now.size)
	case now.size > s.size:
		what = fmt.Sprintf("grew from %d to %d bytes", s.size, now.size)
	case !now.modified.Equal(s.modified):
		what = "was replaced or written to"
	case !now.changed.Equal(s.changed) && now.links == s.links:
		what = "was written to, or its attributes were changed"
	default:
		return nil
	}
	return fmt.Errorf("%w: %s %s; give the job a copy of it, or pipe it in", ErrChanged, path, what)
}
