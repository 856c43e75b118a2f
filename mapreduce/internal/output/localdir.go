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

// makeOutputDir creates and locks the directory, which must not exist. Another run that has found
// it may lock it briefly to look into it; makeOutputDir waits for that.
func makeOutputDir(at dirTree, path string) (*outputDir, error) {
	if err := at.mkdir(path); err != nil {
		return nil, err
	}
	d, err := openOutputDir(at, path)
	if err != nil {
		return nil, errors.Join(err, at.remove(path))
	}
	if err := d.take(true); err != nil {
		return nil, err
	}
	return d, nil
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

// take locks the directory, or closes it and returns ErrOutputBusy if another job has it. With wait
// set it waits for the lock.
func (d *outputDir) take(wait bool) error {
	var free bool
	free, d.real = filelock.Lock(d.lock, wait)
	if d.real && !free || !d.inPlace() {
		return errors.Join(d.busy(), d.release())
	}
	return nil
}

// openLocked opens and locks an existing directory.
func openLocked(at dirTree, path string) (*outputDir, error) {
	d, err := openOutputDir(at, path)
	if err != nil {
		return nil, err
	}
	if err := d.take(false); err != nil {
		return nil, err
	}
	return d, nil
}

func (d *outputDir) busy() error {
	return fmt.Errorf("%s: %w: %w", d.path, ErrOutputExists, ErrOutputBusy)
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
	return regexp.MustCompile(`^(part-[mr]-\d+(\.\w+){0,2}|_skipped\.jsonl|` + Success + `|` + Temporary + `)$`)
})

// entries lists the directory. stranger is the first entry that no job has created. Names of routed
// files count as created only beside _SUCCESS or temporary files, since any file may have them.
func (d *outputDir) entries() (list []fs.DirEntry, stranger string, err error) {
	list, err = fs.ReadDir(d.root.FS(), ".")
	marked := slices.ContainsFunc(list, func(e fs.DirEntry) bool { return e.Name() == Success || e.Name() == Temporary })
	for _, e := range list {
		made := ours().MatchString(e.Name()) || marked && routedName().MatchString(e.Name())
		if !made || e.IsDir() != (e.Name() == Temporary) || !e.IsDir() && !e.Type().IsRegular() {
			return list, e.Name(), err
		}
	}
	return list, "", err
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

// unfinished reports whether the directory may be left from a killed run, so that its parts are not
// an output. Another job may still be writing it, until this one holds the lock.
func (d *outputDir) unfinished() bool {
	_, stranger, err := d.entries()
	return err == nil && stranger == "" && d.has(Temporary) && !d.has(Success) && d.mine()
}

// runText returns what a job has written about itself to RunFile, for Committer.Left.
func (d *outputDir) runText() string {
	text, err := d.root.ReadFile(filepath.Join(Temporary, RunFile))
	if err != nil {
		return "" // a job that runs in one process has none
	}
	return fault.CutText(strings.TrimSpace(string(text)), longestRunText)
}

// empty removes everything that a job has created, the directory of temporary files last: while
// that exists, the next run recognizes the leftovers of a killed one.
func (d *outputDir) empty() error {
	list, _, err := d.entries()
	for _, e := range list {
		if e.Name() != Temporary {
			err = errors.Join(err, d.root.RemoveAll(e.Name()))
		}
	}
	return errors.Join(err, d.root.RemoveAll(Temporary))
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
