// Package nofollow opens directories and files below an [os.Root] without following symbolic links.
// An os.Root alone follows those that lead to places below it.
package nofollow

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
)

// ErrLink is the error for a path that crosses a symbolic link, or a file in place of a directory.
var ErrLink = errors.New("a symbolic link or a file is in its way")

// Dir opens a directory below root; the caller must close it. name is separated by slashes; "."
// means root. If create is set, Dir creates missing directories.
func Dir(root *os.Root, name string, create bool) (*os.Root, error) {
	dir, err := root.OpenRoot(".")
	if err != nil || name == "." {
		return dir, err
	}
	for part := range strings.SplitSeq(name, "/") {
		next, err := child(dir, part, create)
		err = errors.Join(err, dir.Close())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		dir = next
	}
	return dir, nil
}

// child opens the directory name in dir. If create is set, it creates a missing one.
func child(dir *os.Root, name string, create bool) (*os.Root, error) {
	if create {
		if err := dir.Mkdir(name, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
	}
	for range tries {
		next, err := opened(dir, name)
		if next != nil || err != nil {
			return next, err
		}
	}
	return nil, ErrLink
}

// tries is how often child opens a directory that another process replaces meanwhile, as a run
// replaces its output.
const tries = 10

// opened opens the directory name in dir; nil if it has been replaced meanwhile.
func opened(dir *os.Root, name string) (*os.Root, error) {
	there, err := dir.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !there.IsDir() {
		return nil, ErrLink
	}
	next, err := dir.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	now, err := next.Stat(".")
	if err == nil && os.SameFile(there, now) {
		return next, nil
	}
	return nil, errors.Join(err, next.Close())
}

// Open opens a regular file or directory below root for reading.
func Open(root *os.Root, name string) (*os.File, error) {
	dir, err := Dir(root, path.Dir(name), false)
	if err != nil {
		return nil, err
	}
	defer func() { _ = dir.Close() }()
	base := path.Base(name)
	there, err := dir.Lstat(base)
	if err != nil {
		return nil, err
	}
	if !there.IsDir() && !there.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: ErrLink}
	}
	f, err := dir.Open(base)
	if err != nil {
		return nil, err
	}
	opened, err := f.Stat()
	if err == nil && !os.SameFile(there, opened) {
		err = &fs.PathError{Op: "open", Path: name, Err: ErrLink}
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
