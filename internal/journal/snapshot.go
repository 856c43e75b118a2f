package journal

import (
	"errors"
	"io"
	"os"
	"runtime"
)

// Snapshot replaces all records by one, and returns once it is on disk. After an error the disk has
// the old records or the new one, and each later call returns the error, as for Append.
func (j *Journal) Snapshot(data []byte) error {
	j.syncing.Lock()
	defer j.syncing.Unlock()
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.err != nil {
		return j.err
	}
	number := j.number + 1
	content := appendRecord(header(number), 0, data)
	f, err := j.replace(number, content)
	if err != nil {
		j.err = err // the new file may exist already: appends to the old one could be lost
		return err
	}
	old, before := j.file, j.number
	j.file, j.number, j.next, j.size = f, number, 1, int64(len(content))
	j.synced = j.written
	if old == nil {
		return nil
	}
	return errors.Join(old.Close(), os.Remove(j.path(before)), j.step("removed"))
}

// replace creates a log atomically.
func (j *Journal) replace(number uint32, content []byte) (*os.File, error) {
	temp := j.path(number) + ".new"
	f, err := os.OpenFile(temp, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, err
	}
	write := func(b []byte) func() error {
		return func() error { _, err := f.Write(b); return err }
	}
	half := len(content) / 2
	for _, step := range []struct {
		name string
		do   func() error
	}{
		{"made", func() error { return nil }},
		{"half written", write(content[:half])},
		{"written", write(content[half:])},
		{"synced", f.Sync},
		{"renamed", func() error { // some systems cannot rename an open file
			if err := f.Close(); err != nil {
				return err
			}
			return os.Rename(temp, j.path(number))
		}},
		{"named on the disk", func() error { return syncDir(j.dir) }},
	} {
		if err := step.do(); err != nil {
			_ = f.Close()       // it may be closed already
			_ = os.Remove(temp) // if this fails, the next Open removes it
			return nil, err
		}
		if err := j.step(step.name); err != nil {
			_ = f.Close() // a crash leaves the file
			return nil, err
		}
	}
	return openAt(j.path(number), int64(len(content)))
}

// openAt opens a file, truncates it to `whole` bytes and moves to its end.
func openAt(path string, whole int64) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	if err := f.Truncate(whole); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if _, err := f.Seek(whole, io.SeekStart); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// syncDir forces a directory's entries to disk, if the system supports that.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" || runtime.GOOS == "plan9" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
