package serve

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/tarry-mr/tarry/mapreduce"
)

// inStore begins the names of files of the block store.
const inStore = "dfs:"

// roots are the directories of the machine below which jobs may read and write.
type roots struct {
	list []root
	own  *own
}

type root struct {
	path string // absolute, without symbolic links
	said string // as it was given, absolute
	dir  *os.Root
}

// openRoots opens the directories.
func openRoots(cfg *Config) (*roots, error) {
	r := new(roots)
	var err error
	if r.own, err = newOwn(cfg); err != nil {
		return nil, err
	}
	for _, dir := range cfg.Roots {
		said, err := filepath.Abs(dir)
		if err != nil {
			return nil, errors.Join(err, r.close())
		}
		real, err := filepath.EvalSymlinks(said)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("serve: root %w", err), r.close())
		}
		open, err := os.OpenRoot(real)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("serve: root %w", err), r.close())
		}
		r.list = append(r.list, root{real, said, open})
	}
	return r, nil
}

func (r *roots) close() error {
	var errs []error
	for _, x := range r.list {
		errs = append(errs, x.dir.Close())
	}
	return errors.Join(errs...)
}

// within gives the root that a file is below, and its name there. Names that are not absolute begin
// in dir, or if that is empty in the first root.
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

// sources opens what an input names.
func (r *roots) sources(dir, name string) ([]mapreduce.Source, error) {
	root, rel, err := r.within(dir, name)
	if err != nil {
		return nil, err
	}
	src, err := mapreduce.FS(root.inputs(r.own), rel)
	if at, ok := errors.AsType[*fs.PathError](err); ok && errors.Is(err, errOwn) {
		return nil, refuse("outside-roots", "%s: no job reads %s: %s", name, at.Path, errOwn)
	}
	if err != nil {
		return nil, badInput(name, err)
	}
	return src, noArchives(src)
}

// of is a root that the target of a job is below, nil if there is none.
func (r *roots) of(target string) *root {
	for i := range r.list {
		if below(r.list[i].path, target) {
			return &r.list[i]
		}
	}
	return nil
}

// target is the directory of the machine that an output names. What is there of the way to it must
// lie below the root, symbolic links followed.
func (r *roots) target(dir, name string) (string, error) {
	root, rel, err := r.within(dir, name)
	if err != nil {
		return "", err
	}
	if rel == "." {
		return "", refuse("output-exists", "%s: output exists", name)
	}
	there, rest := path.Dir(rel), path.Base(rel)
	for {
		info, err := root.dir.Stat(there)
		if err == nil && info.IsDir() {
			break
		}
		if err == nil || !errors.Is(err, fs.ErrNotExist) || there == "." {
			return "", refuse("bad-output", "%s: %s", name, plain(cause(err, fs.ErrExist)))
		}
		there, rest = path.Dir(there), path.Join(path.Base(there), rest)
	}
	real, err := filepath.EvalSymlinks(filepath.Join(root.path, filepath.FromSlash(there)))
	if err != nil {
		return "", refuse("bad-output", "%s: %s", name, plain(err))
	}
	if !below(root.path, real) {
		return "", refuse("outside-roots", "%s: outside the roots of this server", name)
	}
	full := filepath.Join(real, filepath.FromSlash(rest))
	if err := r.own.checkOutput(full); err != nil {
		return "", refuse("outside-roots", "%s: no job writes there: %s", name, plain(err))
	}
	return full, nil
}

// below tells whether a path is dir or within it.
func below(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// cause is err, or what stands for it where there is none.
func cause(err, other error) error {
	if err == nil {
		return other
	}
	return err
}

// plain is what is wrong with a file, without the system call and the path.
func plain(err error) string {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		return at.Err.Error()
	}
	return err.Error()
}

// badInput is why an input is not read. That the process has too many files open, one for each large
// input of a job that has not begun, is not the client's fault: it may try again.
func badInput(name string, err error) error {
	if errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) {
		return busy("too-many-files", "%s: too many files are open, of jobs that wait; try again later", name)
	}
	return refuse("bad-input", "%s: %s", name, plain(err))
}
