package output

import (
	"cmp"
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
	if d.local != nil {
		d.local.tree.root = root
	}
	return d
}

// dirTree makes, moves and removes output directories, through the directory above them. If root is
// set, that is below root, and no symbolic link is followed.
type dirTree struct{ root *os.Root }

// above opens the directory above name. If create is set, it creates missing ones.
func (t dirTree) above(name string, create bool) (*os.Root, error) {
	if t.root == nil {
		dir := filepath.Dir(name)
		if create {
			if err := os.MkdirAll(dir, 0o777); err != nil {
				return nil, err
			}
		}
		return os.OpenRoot(dir)
	}
	rel, err := filepath.Rel(t.root.Name(), name)
	if err != nil || rel == "." || !filepath.IsLocal(rel) {
		return nil, fmt.Errorf("%s: it is not below %s", name, t.root.Name())
	}
	dir, err := nofollow.Dir(t.root, path.Dir(filepath.ToSlash(rel)), create)
	if err != nil {
		return nil, fmt.Errorf("below %s: %w", t.root.Name(), err)
	}
	return dir, nil
}

// in calls do with the directory above name, and name's last element.
func (t dirTree) in(name string, do func(dir *os.Root, base string) error) error {
	dir, err := t.above(name, false)
	if err != nil {
		return err
	}
	defer func() { _ = dir.Close() }()
	err = do(dir, filepath.Base(name))
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		at.Op, at.Path = strings.TrimSuffix(at.Op, "at"), name // as without a root
	}
	return err
}

// makeParents creates the directories above a path.
func (t dirTree) makeParents(name string) error {
	dir, err := t.above(name, true)
	if err == nil {
		err = dir.Close()
	}
	return err
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

// rename renames directory a to b in the same directory. If b exists, the error is fs.ErrExist:
// only an empty directory that appears meanwhile is replaced.
func (t dirTree) rename(a, b string) error {
	return t.in(a, func(dir *os.Root, base string) error {
		to := filepath.Base(b)
		if _, err := dir.Lstat(to); !errors.Is(err, fs.ErrNotExist) {
			return cmp.Or(err, fs.ErrExist)
		}
		return dir.Rename(base, to)
	})
}

// swap exchanges the names of a and b, in the same directory, in one step. It returns an error
// where that is not possible.
func (t dirTree) swap(a, b string) error {
	return t.in(a, func(dir *os.Root, base string) error {
		f, err := dir.Open(".")
		if err != nil {
			return err
		}
		return errors.Join(exchange(int(f.Fd()), base, filepath.Base(b)), f.Close())
	})
}
