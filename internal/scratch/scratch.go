// Package scratch creates temporary files and directories. They are removed when the command ends,
// even if it is interrupted twice. Those of a killed process are removed when a later process
// creates some with the same prefix in the same place. It is safe for concurrent use.
package scratch

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"sync"

	"github.com/tarry-mr/tarry/internal/filelock"
)

// Item is a file or directory that belongs to this process until it is removed or renamed.
type Item struct {
	file *os.File // locked, if the system supports it
}

// mine is the set of this process's items, which RemoveAll removes.
var mine sync.Map // of *Item

// Dir creates a directory with a unique name that begins with prefix; parent "" means os.TempDir.
// It first removes directories with that prefix that ended processes have left.
func Dir(parent, prefix string) (*Item, error) {
	if parent == "" {
		parent = os.TempDir()
	}
	sweep(parent, prefix, true)
	return claim(os.O_RDONLY, func() (string, error) { return os.MkdirTemp(parent, prefix) })
}

// File creates a file for writing, with a unique name that begins with prefix. It first removes
// files with that prefix that ended processes have left.
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

// claim creates a file or directory by calling create, opens it with flag, and locks it. It retries
// if another process's sweep has removed it before the lock.
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
		filelock.Lock(f, true)
		if i := (&Item{f}); i.inPlace() {
			mine.Store(i, true)
			return i, nil
		}
		f.Close()
	}
}

// inPlace reports whether the item's name still refers to the item's own file.
func (i *Item) inPlace() bool {
	there, err := os.Lstat(i.Name())
	if err != nil {
		return false
	}
	this, err := i.file.Stat()
	return err == nil && os.SameFile(there, this)
}

// Name returns the item's path.
func (i *Item) Name() string { return i.file.Name() }

// Write writes to a file.
func (i *Item) Write(p []byte) (int, error) { return i.file.Write(p) }

// Rename gives a finished file its final name and mode; it is then no scratch file any more.
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

// Remove removes the item with its content. A second Remove does nothing.
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

// RemoveAll removes all items of this process. Call it just before the process ends.
func RemoveAll() {
	mine.Range(func(i, _ any) bool {
		_ = os.RemoveAll(i.(*Item).Name()) // if this fails, a later process removes it
		return true
	})
}

// sweep removes the items with this prefix that ended processes have left. It ignores errors.
func sweep(parent, prefix string, dirs bool) {
	list, err := os.ReadDir(parent)
	if err != nil {
		return // the caller's creation of an item will report the same error
	}
	left := regexp.MustCompile("^" + regexp.QuoteMeta(prefix) + `\d+$`)
	for _, e := range list {
		if left.MatchString(e.Name()) && e.IsDir() == dirs && (dirs || e.Type().IsRegular()) {
			sweepOne(filepath.Join(parent, e.Name()))
		}
	}
}

// sweepOne removes a file or directory unless a living process has it locked.
func sweepOne(name string) {
	f, err := os.Open(name)
	if err != nil {
		return
	}
	defer f.Close()
	i := &Item{f}
	if info, err := f.Stat(); err != nil || !filelock.OwnedByUs(info) || !locked(f) || !i.inPlace() {
		return
	}
	_ = os.RemoveAll(name)
}

// locked locks a file that no other process has locked, and reports whether it did.
func locked(f *os.File) bool {
	free, can := filelock.Lock(f, false)
	return free && can
}
