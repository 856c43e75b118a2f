package dfs

import (
	"errors"
	"time"
)

// load maps or reads the file. The caller holds mu.
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
	if err != nil { // some file systems have no mappings, and a process has not any number
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

// settle waits until a write is sure to change the stamp. It takes no time unless the file was
// written to just now. The caller holds mu.
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
		_ = l.unload() // an error would concern bytes that nobody uses any more
	}
}

// unload gives back memory and descriptor if no View is held. The caller holds mu.
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

// dropFrom is the size of a View, in bytes, from which its release takes its pages out of
// the process again: a job may read more than its memory budget. They stay in the page
// cache, so a second View of them is a page fault and no read.
const dropFrom = 256 << 10

// smallFile is the size up to which a local file is read whole into memory for its Views
// rather than mapped: below it a mapping costs more than the copy.
const smallFile = 64 << 10
