package journal

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// ErrLocked is wrapped by the error of Open for a directory that another process, or another
// Journal of this process, has open.
var ErrLocked = errors.New("another process is using it")

// lockIn creates and locks the lock file of a directory. The process that held the lock may remove
// the file meanwhile, so lockIn retries.
func lockIn(dir string) (*os.File, error) {
	path := filepath.Join(dir, lockName)
	for {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
		if err != nil {
			return nil, err
		}
		if !lockFile(f) {
			return nil, errors.Join(fmt.Errorf("%s: %w", dir, ErrLocked), f.Close())
		}
		this, err := f.Stat()
		if err != nil {
			return nil, errors.Join(err, f.Close())
		}
		if there, err := os.Stat(path); err == nil && os.SameFile(this, there) {
			return f, nil
		}
		f.Close()
	}
}

// unlock removes the lock file before it unlocks it or, on systems that forbid this, after.
func (j *Journal) unlock() error {
	path := j.lock.Name()
	removed := os.Remove(path) == nil
	err := j.lock.Close()
	if !removed {
		_ = os.Remove(path) // fails if another process has locked it already
	}
	return err
}
