package dfs

import (
	"fmt"
	"io/fs"
	"os"
	"time"
)

// stamp is what a file system tells of a file: two equal stamps, the first of them settled,
// mean that nobody wrote to the file between them.
//
// A writer through a mapping leaves its mark when it first touches a page. A page that it
// had touched before the first stamp, and that has not been written back since, it can
// change again without one; nothing short of reading everything twice would show that.
type stamp struct {
	file     identity // which file it is
	size     int64
	modified time.Time
	changed  time.Time // of the inode; modified where the system has no such time
	links    uint64    // 0 where the system does not count them
	empty    bool      // it occupies no space, whatever its size
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

// Times of files do not run smoothly. A kernel takes them from a clock that stands still
// between its ticks, at most 10 ms long; some file systems keep whole seconds, one of them
// every other. And a call that writes much sets the time when it begins.
const (
	tick         = 20 * time.Millisecond
	coarse       = 2 * time.Second
	writeRate    = 1 << 30 // bytes a second, of one call that writes a whole file
	longestWrite = writeRate / 2
)

// settles returns how long it takes until a write to the file is sure to leave another
// stamp than s. A file that changed in the future is one of a clock that nobody knows.
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

// same returns what has become of the file at path since s, nil if nothing. To remove a
// file, to replace it by renaming or to link to it changes its inode, but no byte.
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
