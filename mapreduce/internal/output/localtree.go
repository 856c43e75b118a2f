package output

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

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

// in calls do with the directory above name and name's last element.
func (t dirTree) in(name string, do func(dir *os.Root, base string) error) error {
	dir, err := t.parent(name, false)
	if err != nil {
		return err
	}
	defer func() { _ = dir.Close() }()
	base := filepath.Base(name)
	if base == ".." || base == string(filepath.Separator) {
		base = "." // dir is that directory, which has no other name
	}
	err = do(dir, base)
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		at.Op, at.Path = strings.TrimSuffix(at.Op, "at"), name // mkdir, not mkdirat
	}
	return err
}

// parent opens the directory above name. If create is set, it creates missing directories.
func (t dirTree) parent(name string, create bool) (dir *os.Root, err error) {
	if t.root == nil {
		above := filepath.Dir(name)
		if filepath.Base(name) == ".." {
			above = name
		}
		if create {
			err = os.MkdirAll(above, 0o777)
		}
		if err == nil {
			dir, err = os.OpenRoot(above)
		}
		return dir, err
	}
	rel, err := filepath.Rel(t.root.Name(), name)
	if err != nil || rel == "." || !filepath.IsLocal(rel) {
		return nil, fmt.Errorf("%s: it is not below %s", name, t.root.Name())
	}
	if dir, err = nofollow.Dir(t.root, path.Dir(filepath.ToSlash(rel)), create); err != nil {
		err = fmt.Errorf("below %s: %w", t.root.Name(), err)
	}
	return dir, err
}

// makeParents creates the directories above a path.
func (t dirTree) makeParents(name string) error {
	dir, err := t.parent(name, true)
	if err != nil {
		return err
	}
	return dir.Close()
}

func (t dirTree) mkdir(name string) error {
	return t.in(name, func(dir *os.Root, base string) error { return dir.Mkdir(base, 0o777) })
}

func (t dirTree) remove(name string) error {
	return t.in(name, func(dir *os.Root, base string) error { return dir.Remove(base) })
}

func (t dirTree) lstat(name string) (info fs.FileInfo, err error) {
	err = t.in(name, func(dir *os.Root, base string) error {
		info, err = dir.Lstat(base)
		return err
	})
	return info, err
}

// open opens a directory as a root.
func (t dirTree) open(name string) (root *os.Root, err error) {
	err = t.in(name, func(dir *os.Root, base string) error {
		root, err = nofollow.Dir(dir, base, false)
		return err
	})
	return root, err
}

// rename renames a to b in the same directory.
func (t dirTree) rename(a, b string) error {
	return t.in(a, func(dir *os.Root, base string) error { return dir.Rename(base, filepath.Base(b)) })
}

// renameNew renames a to b in the same directory unless b exists, by the function renameNew.
func (t dirTree) renameNew(a, b string) error { return t.renameAt(renameNew, a, b) }

// exchange swaps a and b in the same directory, by the function exchange.
func (t dirTree) exchange(a, b string) error { return t.renameAt(exchange, a, b) }

func (t dirTree) renameAt(how func(dir *os.File, a, b string) error, a, b string) error {
	return t.in(a, func(dir *os.Root, base string) error {
		f, err := dir.Open(".")
		if err != nil {
			return err
		}
		return errors.Join(how(f, base, filepath.Base(b)), f.Close())
	})
}
