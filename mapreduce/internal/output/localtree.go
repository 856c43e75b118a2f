package output

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/tarry-mr/tarry/internal/nofollow"
)

// Within returns d such that its directory, which must be below root, is created and opened through
// root without following symbolic links: a user who can write below root while a job waits cannot
// redirect its output. The directory's path begins with root.Name(); root must stay open until the
// job has ended. [PartFile.Path] is still a path. Destinations other than local directories are
// returned unchanged.
func (d Destination) Within(root *os.Root) Destination {
	if s, ok := d.store.(*localStore); ok {
		s.tree.root = root
	}
	return d
}

// dirTree makes, moves and removes output directories: anywhere or, if root is set, only below it
// and without following symbolic links.
type dirTree struct{ root *os.Root }

// in calls do with the directory above name, which is below root, and name's last element. If
// create is set, it creates missing directories.
func (t dirTree) in(name string, create bool, do func(dir *os.Root, base string) error) error {
	rel, err := filepath.Rel(t.root.Name(), name)
	if err != nil || rel == "." || !filepath.IsLocal(rel) {
		return fmt.Errorf("%s: it is not below %s", name, t.root.Name())
	}
	rel = filepath.ToSlash(rel)
	dir, err := nofollow.Dir(t.root, path.Dir(rel), create)
	if err != nil {
		return fmt.Errorf("below %s: %w", t.root.Name(), err)
	}
	defer func() { _ = dir.Close() }()
	err = do(dir, path.Base(rel))
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		at.Path = name
	}
	return err
}

// makeParents creates the directories above a path.
func (t dirTree) makeParents(name string) error {
	if t.root == nil {
		return os.MkdirAll(filepath.Dir(name), 0o777)
	}
	return t.in(name, true, func(*os.Root, string) error { return nil })
}

func (t dirTree) mkdir(name string) error {
	if t.root == nil {
		return os.Mkdir(name, 0o777)
	}
	return t.in(name, false, func(dir *os.Root, base string) error { return dir.Mkdir(base, 0o777) })
}

func (t dirTree) remove(name string) error {
	if t.root == nil {
		return os.Remove(name)
	}
	return t.in(name, false, func(dir *os.Root, base string) error { return dir.Remove(base) })
}

func (t dirTree) lstat(name string) (info fs.FileInfo, err error) {
	if t.root == nil {
		return os.Lstat(name)
	}
	err = t.in(name, false, func(dir *os.Root, base string) error {
		info, err = dir.Lstat(base)
		return err
	})
	return info, err
}

// open opens a directory as a root.
func (t dirTree) open(name string) (root *os.Root, err error) {
	if t.root == nil {
		return os.OpenRoot(name)
	}
	err = t.in(name, false, func(dir *os.Root, base string) error {
		root, err = nofollow.Dir(dir, base, false)
		return err
	})
	return root, err
}

// rename renames a to b in the same directory.
func (t dirTree) rename(a, b string) error {
	if t.root == nil {
		return os.Rename(a, b)
	}
	return t.in(a, false, func(dir *os.Root, base string) error { return dir.Rename(base, filepath.Base(b)) })
}

// renameNew renames a to b in the same directory unless b exists: then the error is fs.ErrExist.
func (t dirTree) renameNew(a, b string) error {
	err := t.renameAs(free, a, b)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	if _, there := t.lstat(b); !errors.Is(there, fs.ErrNotExist) { // the system has no such rename
		return cmp.Or(there, fs.ErrExist)
	}
	return t.rename(a, b)
}

// renameAs renames a to b in the same directory by the function renameAs.
func (t dirTree) renameAs(how uint, a, b string) error {
	if t.root == nil {
		return renameAs(how, nil, a, b)
	}
	return t.in(a, false, func(dir *os.Root, base string) error {
		f, err := dir.Open(".")
		if err != nil {
			return err
		}
		return errors.Join(renameAs(how, f, base, filepath.Base(b)), f.Close())
	})
}
