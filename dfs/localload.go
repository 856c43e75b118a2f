package dfs

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// load maps the file or copies it into memory, if that has not been done. The caller holds mu.
func (l *LocalFile) load() error {
	if l.loaded || l.ranges {
		return nil
	}
	l.settle()
	if l.stamp.size <= smallFile {
		data := make([]byte, l.stamp.size)
		if _, err := l.readAt(data, 0); err != nil {
			return err
		}
		l.data, l.loaded = data, true
		return nil
	}
	f, err := l.reopen()
	if err != nil {
		return err
	}
	data, err := mapFile(f, l.stamp.size)
	if err != nil { // mappings may be unsupported by the file system or too many
		l.ranges = true
		return f.Close()
	}
	l.data, l.loaded, l.mapped, l.exposed = data, true, true, true
	if mayKeep() {
		l.file = f
		return nil
	}
	return f.Close()
}

// settle waits until every later write will change the stamp. It returns at once unless the last
// write was just before the opening. The caller holds mu.
func (l *LocalFile) settle() {
	if !l.settled {
		time.Sleep(l.stamp.settles(time.Now()))
		l.settled = true
	}
}

func (l *LocalFile) release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.views == 0 {
		panic("dfs: view of " + l.path + " released twice")
	}
	l.views--
	if l.closed || l.file == nil {
		_ = l.unload() // an error would concern bytes that no View uses
	}
}

// unload unmaps the file, or frees its copy, unless a View is held. The caller holds mu.
func (l *LocalFile) unload() error {
	if !l.loaded || l.views > 0 {
		return nil
	}
	var err error
	if l.mapped {
		err = unmapFile(l.data)
	}
	if l.file != nil {
		err = errors.Join(err, l.file.Close())
		dropKept()
	}
	l.data, l.file, l.mapped, l.loaded = nil, nil, false, false
	return err
}

// dropFrom is the minimum size in bytes of a View whose release drops its pages from the process: a
// job may read more than its memory budget. The page cache keeps the pages, so that the next View
// of them causes page faults but no reads.
const dropFrom = 256 << 10

// smallFile is the maximum size of a file that Views copy into memory: mapping it would cost more
// than the copy.
const smallFile = 64 << 10

// keepable returns how many mapped files may keep a descriptor open: an eighth of the process's
// limit, since spills and outputs need descriptors too. With a descriptor, a file stays readable
// after its name is removed.
var keepable = sync.OnceValue(func() int64 {
	const most, unknown = 1024, 256
	limit := descriptorLimit()
	if limit == 0 {
		limit = unknown
	}
	return int64(min(limit/8, most)) //nolint:gosec // at most 1024
})

var kept atomic.Int64

// mayKeep reserves a descriptor for a mapped file and reports whether it could; dropKept frees it.
func mayKeep() bool {
	if kept.Add(1) <= keepable() {
		return true
	}
	kept.Add(-1)
	return false
}

func dropKept() { kept.Add(-1) }
