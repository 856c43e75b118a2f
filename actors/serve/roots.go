package serve

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
)

// inStore is the prefix of names in the block store.
const inStore = "dfs:"

// roots are the directories of this machine in which jobs may read and write.
type roots struct {
	list []root
	own  own
}

type root struct {
	path string // absolute, without symbolic links
	said string // as configured, made absolute
	dir  *os.Root
}

// open opens the directories of Config.Roots. After an error some may be open.
func (r *roots) open(cfg *Config) (err error) {
	if r.own, err = newOwn(cfg); err != nil {
		return err
	}
	for _, dir := range cfg.Roots {
		said, err := filepath.Abs(dir)
		if err == nil {
			dir, err = filepath.EvalSymlinks(said)
		}
		var open *os.Root
		if err == nil {
			open, err = os.OpenRoot(dir)
		}
		if err != nil {
			return fmt.Errorf("serve: root %w", err)
		}
		r.list = append(r.list, root{dir, said, open})
	}
	return nil
}

func (r *roots) close() error {
	var errs []error
	for _, x := range r.list {
		errs = append(errs, x.dir.Close())
	}
	return errors.Join(errs...)
}

// within returns the root that contains a file, and the file's path in it. Relative names start at
// dir, or at the first root if dir is empty.
func (r *roots) within(dir, name string) (*root, string, error) {
	if len(r.list) == 0 {
		return nil, "", refuse("outside-roots", "%s: this server has no roots: name files of its block store, as dfs:NAME", name)
	}
	if strings.ContainsRune(name, 0) {
		return nil, "", refuse("bad-name", "a name with a zero byte in it")
	}
	full := name
	if !filepath.IsAbs(full) {
		if dir != "" && !filepath.IsAbs(dir) {
			return nil, "", refuse("bad-name", "directory %s is not absolute", dir)
		}
		if dir == "" {
			dir = r.list[0].path
		}
		full = filepath.Join(dir, name)
	}
	full = filepath.Clean(full)
	for i := range r.list {
		for _, base := range []string{r.list[i].path, r.list[i].said} {
			rel, err := filepath.Rel(base, full)
			if err == nil && filepath.IsLocal(rel) {
				return &r.list[i], filepath.ToSlash(rel), nil
			}
		}
	}
	return nil, "", refuse("outside-roots", "%s: outside the roots of this server", name)
}

// target resolves an output to a root and a directory of this machine. The existing part of its
// path must stay below the root when symbolic links are followed.
func (r *roots) target(dir, name string) (*root, string, error) {
	root, rel, err := r.within(dir, name)
	if err != nil {
		return nil, "", err
	}
	if rel == "." {
		return nil, "", refuse("output-exists", "%s: output exists", name)
	}
	there, rest := path.Dir(rel), path.Base(rel)
	real, err := filepath.EvalSymlinks(filepath.Join(root.path, there))
	for errors.Is(err, fs.ErrNotExist) && there != "." {
		there, rest = path.Dir(there), path.Join(path.Base(there), rest)
		real, err = filepath.EvalSymlinks(filepath.Join(root.path, there))
	}
	switch info, bad := os.Stat(real); {
	case err != nil:
		return nil, "", refuse("bad-output", "%s: %s", name, plain(err))
	case !below(root.path, real):
		return nil, "", refuse("outside-roots", "%s: outside the roots of this server", name)
	case bad != nil || !info.IsDir():
		return nil, "", refuse("bad-output", "%s: %s", name, plain(cmp.Or(bad, fs.ErrExist)))
	}
	full := filepath.Join(real, filepath.FromSlash(rest))
	existing, _ := os.Stat(full) // what is missing holds nothing
	if err := r.own.check(full, existing); err != nil {
		return nil, "", refuse("outside-roots", "%s: no job writes there: %s", name, plain(err))
	}
	return root, full, nil
}

// below reports whether path is dir or within it.
func below(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// plain returns what is wrong with a file, without the system call and the path.
func plain(err error) string {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		return at.Err.Error()
	}
	return err.Error()
}

// badInput returns why an input cannot be read. If the process has too many open files, one per
// large input of a waiting job, the client may try again.
func badInput(name string, err error) error {
	if errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) {
		return refuse("too-many-files", "%s: too many files are open, of jobs that wait; try again later", name)
	}
	return refuse("bad-input", "%s: %s", name, plain(err))
}
