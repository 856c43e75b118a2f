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
func (j *Journal) replace(number uint32, content []byte) (_ *os.File, err error) {
	temp := j.path(number) + ".new"
	f, err := os.OpenFile(temp, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, err
	}
	crashed := false
	step := func(name string) error {
		err := j.step(name)
		crashed = crashed || err != nil
		return err
	}
	defer func() {
		if err != nil {
			_ = f.Close() // it may be closed already
			if !crashed {
				_ = os.Remove(temp) // if this fails, the next Open removes it
			}
		}
	}()
	if err := step("made"); err != nil {
		return nil, err
	}
	if _, err := f.Write(content[:len(content)/2]); err != nil {
		return nil, err
	}
	if err := step("half written"); err != nil {
		return nil, err
	}
	if _, err := f.Write(content[len(content)/2:]); err != nil {
		return nil, err
	}
	if err := step("written"); err != nil {
		return nil, err
	}
	if err := f.Sync(); err != nil {
		return nil, err
	}
	if err := step("synced"); err != nil {
		return nil, err
	}
	if err := f.Close(); err != nil { // some systems cannot rename an open file
		return nil, err
	}
	if err := os.Rename(temp, j.path(number)); err != nil {
		return nil, err
	}
	if err := step("renamed"); err != nil {
		return nil, err
	}
	if err := syncDir(j.dir); err != nil {
		return nil, err
	}
	if err := step("named on the disk"); err != nil {
		return nil, err
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
