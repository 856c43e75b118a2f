package output

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/tarry-mr/tarry/internal/filelock"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
)

// outputDir is a local directory of an output that a job writes or has found. All operations inside
// go through root, so that symbolic links or a replaced directory cannot lead the job elsewhere.
// While lock is held, no other job, of any process, can use the directory; the lock ends with the
// process.
type outputDir struct {
	tree dirTree
	path string
	root *os.Root
	lock *os.File // the directory itself; the system may not support locks
	real bool     // the lock works
}

// openOutputDir opens an existing directory without locking it.
func openOutputDir(at dirTree, path string) (*outputDir, error) {
	info, err := at.lstat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.IsDir():
		return nil, fmt.Errorf("%s: %w: it is no directory", path, ErrOutputExists)
	}
	root, err := at.open(path)
	if err != nil {
		return nil, err
	}
	d := &outputDir{tree: at, path: path, root: root}
	if d.lock, err = root.Open("."); err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return d, nil
}

// take locks the directory. If another job has it, or has moved or removed it, take closes it and
// returns false.
func (d *outputDir) take() bool {
	free, real := filelock.Lock(d.lock, false)
	if real && !free || !d.inPlace() {
		_ = d.release()
		return false
	}
	d.real = real
	return true
}

// inPlace reports whether path still names this directory; it may have been moved or replaced.
func (d *outputDir) inPlace() bool {
	there, err := d.tree.lstat(d.path)
	if err != nil {
		return false
	}
	this, err := d.root.Stat(".")
	return err == nil && os.SameFile(there, this)
}

// mine reports whether the directory belongs to the user of this process.
func (d *outputDir) mine() bool {
	info, err := d.root.Stat(".")
	return err == nil && filelock.OwnedByUs(info)
}

// ours matches the names that files of a job's output have, except those of routed records.
var ours = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(part-[mr]-\d+(\.\w+){0,2}|_skipped\.jsonl|` + Success + `|` + Temporary + `|` + resumeMark + `)$`)
})

// entries lists the directory, and returns its strangerIn.
func (d *outputDir) entries() (list []fs.DirEntry, stranger string, err error) {
	list, err = fs.ReadDir(d.root.FS(), ".")
	return list, strangerIn(list), err
}

// strangerIn returns the first entry that no job has created, "" if there is none. Names of routed
// files count as created only beside _SUCCESS, _temporary or _RESUME, since any file may have them.
func strangerIn(list []fs.DirEntry) string {
	marked := slices.ContainsFunc(list, func(e fs.DirEntry) bool {
		return slices.Contains([]string{Success, Temporary, resumeMark}, e.Name())
	})
	for _, e := range list {
		made := ours().MatchString(e.Name()) || marked && taskFile().MatchString(e.Name())
		if !made || e.IsDir() != (e.Name() == Temporary) || !e.IsDir() && !e.Type().IsRegular() {
			return e.Name()
		}
	}
	return ""
}

// has reports whether the directory has an entry called name.
func (d *outputDir) has(name string) bool {
	_, err := d.root.Lstat(name)
	return err == nil
}

// leftBehind reports whether a killed run of this user left the directory: it may be emptied.
func (d *outputDir) leftBehind() bool {
	_, stranger, err := d.entries()
	return err == nil && stranger == "" && d.real && d.mine()
}

// runText returns what a job has written about itself to RunFile, for Committer.Left.
func (d *outputDir) runText() string {
	text, err := d.root.ReadFile(filepath.Join(Temporary, RunFile))
	if err != nil {
		return "" // a job that runs in one process has none
	}
	return fault.CutText(strings.TrimSpace(string(text)), longestRunText)
}

// empty removes everything that a job has created: first the mark of a resumable job, so that no
// run continues with the rest, and last what shows that the rest is a job's.
func (d *outputDir) empty() error {
	list, _, err := d.entries()
	err = errors.Join(err, d.root.RemoveAll(resumeMark))
	for _, e := range list {
		if e.Name() != Success && e.Name() != Temporary {
			err = errors.Join(err, d.root.RemoveAll(e.Name()))
		}
	}
	return errors.Join(err, d.root.RemoveAll(Success), d.removeTemporary())
}

// removals is how often the directory of temporary files is removed until it stays empty.
const removals = 100

// removeTemporary removes the directory of temporary files, although workers in other processes,
// which have not heard of the job's end, may still create files in it.
func (d *outputDir) removeTemporary() (err error) {
	for range removals {
		if err = d.root.RemoveAll(Temporary); !errors.Is(err, syscall.ENOTEMPTY) {
			return err
		}
	}
	return err
}

// remove removes the directory with a job's files in it, and unlocks it.
func (d *outputDir) remove() error {
	err := d.empty()
	if d.inPlace() {
		err = errors.Join(err, d.tree.remove(d.path))
	}
	return errors.Join(err, d.release())
}

// release closes and unlocks the directory.
func (d *outputDir) release() error { return errors.Join(d.root.Close(), d.lock.Close()) }
