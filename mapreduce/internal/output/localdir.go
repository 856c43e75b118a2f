package output

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"sync"
)

// outputDir is a directory of this machine that a job writes its output to, or has found
// where it wants to. All that is done inside is done through root: others may put symbolic
// links there, or another directory in its place, but not lead the job elsewhere. While
// lock is held no other job, of this process or another, takes the directory for its own;
// it goes with the process, however that dies.
type outputDir struct {
	tree dirTree
	path string
	root *os.Root
	lock *os.File // the directory itself; its lock is not real where the system has none
	real bool     // the lock
}

// makeOutputDir makes and locks the directory, which must not be there. Others who find it
// may look at it for a moment.
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

// openOutputDir opens a directory that is there.
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

// take locks the directory, or lets go of it: ErrOutputBusy says that another job has it.
func (d *outputDir) take(wait bool) error {
	var free bool
	free, d.real = lockFile(d.lock, wait)
	if d.real && !free || !d.inPlace() {
		return errors.Join(d.busy(), d.release())
	}
	return nil
}

// openLocked opens and locks a directory that is there.
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

// inPlace says whether the directory is still, or again, what its path names.
func (d *outputDir) inPlace() bool {
	there, err := d.tree.lstat(d.path)
	if err != nil {
		return false
	}
	this, err := d.root.Stat(".")
	return err == nil && os.SameFile(there, this)
}

// mine says whether the directory belongs to the user of this process.
func (d *outputDir) mine() bool {
	info, err := d.root.Stat(".")
	return err == nil && ownedByUs(info)
}

// ours are the names that the output of a job may have.
var ours = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(part-[mr]-\d+(\.\w+){0,2}|_skipped\.jsonl|` + Success + `|` + Temporary + `)$`)
})

// entries lists the directory. stranger is the first entry that no job has put there: files of names
// are a job's beside _SUCCESS or its temporary files only, for others have such names, too.
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

// has says whether there is an entry of that name.
func (d *outputDir) has(name string) bool {
	_, err := d.root.Lstat(name)
	return err == nil
}

// leftBehind says whether the directory is what a job of this user left, and no other job
// has it.
func (d *outputDir) leftBehind() bool {
	_, stranger, err := d.entries()
	return err == nil && stranger == "" && d.real && d.mine()
}

// unfinished says whether the directory may be what a run left that was killed: its parts are
// no output. Another job may still be at work on them, until this one has the lock.
func (d *outputDir) unfinished() bool {
	_, stranger, err := d.entries()
	return err == nil && stranger == "" && d.has(Temporary) && !d.has(Success) && d.mine()
}

// empty removes all that a job has put there, the directory of temporary files last: as
// long as that is there, whoever comes after a kill knows what to do.
func (d *outputDir) empty() error {
	list, _, err := d.entries()
	for _, e := range list {
		if e.Name() != Temporary {
			err = errors.Join(err, d.root.RemoveAll(e.Name()))
		}
	}
	return errors.Join(err, d.root.RemoveAll(Temporary))
}

// remove removes the directory with all that it holds, and lets go of it.
func (d *outputDir) remove() error {
	err := d.empty()
	if d.inPlace() {
		err = errors.Join(err, d.tree.remove(d.path))
	}
	return errors.Join(err, d.release())
}

// release lets go of the directory.
func (d *outputDir) release() error { return errors.Join(d.root.Close(), d.lock.Close()) }
