// Package scratch makes files and directories that are there for a while. They go at the end of a
// command, also if that is told twice to stop; what a killed process has left goes when the next
// one makes the like at the same place. Safe for concurrent use.
package scratch

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"sync"
)

// Item is a file or directory that belongs to this process until it is released or removed.
type Item struct {
	file *os.File // locked, where the system can
}

// mine are the items of this process.
var mine sync.Map // of *Item

// Dir makes a directory with a name of its own that begins with prefix; no parent is the system's
// place for such.
func Dir(parent, prefix string) (*Item, error) {
	if parent == "" {
		parent = os.TempDir()
	}
	sweep(parent, prefix, true)
	return claim(os.O_RDONLY, func() (string, error) { return os.MkdirTemp(parent, prefix) })
}

// File makes a file as Dir does a directory, to be written to.
func File(parent, prefix string) (*Item, error) {
	sweep(parent, prefix, false)
	return claim(os.O_RDWR, func() (string, error) {
		f, err := os.CreateTemp(parent, prefix)
		if err != nil {
			return "", err
		}
		return f.Name(), f.Close()
	})
}

// claim makes something, opens and locks it. Who sweeps may be quicker to lock what is new, and
// removes it.
func claim(flag int, create func() (string, error)) (*Item, error) {
	for {
		name, err := create()
		if err != nil {
			return nil, err
		}
		f, err := os.OpenFile(name, flag, 0)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, errors.Join(err, os.Remove(name))
		}
		lock(f, true)
		if i := (&Item{f}); i.inPlace() {
			mine.Store(i, true)
			return i, nil
		}
		f.Close()
	}
}

// inPlace tells whether the item is still what its name stands for.
func (i *Item) inPlace() bool {
	there, err := os.Lstat(i.Name())
	if err != nil {
		return false
	}
	this, err := i.file.Stat()
	return err == nil && os.SameFile(there, this)
}

// Name is its path.
func (i *Item) Name() string { return i.file.Name() }

// Write writes to a file.
func (i *Item) Write(p []byte) (int, error) { return i.file.Write(p) }

// Rename gives a file mode and name for good.
func (i *Item) Rename(name string, mode fs.FileMode) error {
	if err := i.file.Chmod(mode); err != nil {
		return err
	}
	if err := i.file.Close(); err != nil {
		return err
	}
	if err := os.Rename(i.Name(), name); err != nil {
		return err
	}
	mine.Delete(i)
	return nil
}

// Remove removes it with all that is in it; once more is no error.
func (i *Item) Remove() error {
	if _, ours := mine.LoadAndDelete(i); !ours {
		return nil
	}
	err := os.RemoveAll(i.Name())
	if closed := i.file.Close(); !errors.Is(closed, os.ErrClosed) {
		err = errors.Join(err, closed)
	}
	return err
}

// RemoveAll removes all items of this process, which ends.
func RemoveAll() {
	mine.Range(func(i, _ any) bool {
		_ = os.RemoveAll(i.(*Item).Name()) // the next process tries again
		return true
	})
}

// sweep removes what processes that are gone have left. What cannot be removed stays.
func sweep(parent, prefix string, dirs bool) {
	list, err := os.ReadDir(parent)
	if err != nil {
		return // making something there fails, too, and says why
	}
	left := regexp.MustCompile("^" + regexp.QuoteMeta(prefix) + `\d+$`)
	for _, e := range list {
		if left.MatchString(e.Name()) && e.IsDir() == dirs && (dirs || e.Type().IsRegular()) {
			sweepOne(filepath.Join(parent, e.Name()))
		}
	}
}

// sweepOne removes something if nobody has it.
func sweepOne(name string) {
	f, err := os.Open(name)
	if err != nil {
		return
	}
	defer f.Close()
	i := &Item{f}
	if info, err := f.Stat(); err != nil || !ownedByUs(info) || !lock(f, false) || !i.inPlace() {
		return
	}
	_ = os.RemoveAll(name)
}
