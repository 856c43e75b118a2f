package output

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strconv"
	"sync"

	"github.com/tarry-mr/tarry/mapreduce/internal/attempt"
)

// resumeMark is the name of the temporary file with the token of the job that writes the output.
const resumeMark = "_RESUME"

// Resumable returns d such that SetupJob continues the output of a killed run of the same job: its
// parts stay (see Plan.Committed), and an output that lacks only its last steps is completed. token
// identifies the job; different jobs must have different tokens. Parts are forced to disk before
// they are committed, and ForgetJob must follow CommitJob. Destinations other than local
// directories are returned unchanged.
func (d Destination) Resumable(token string) Destination {
	if s, ok := d.store.(*localStore); ok {
		s.token = token
	}
	return d
}

// local returns the store if it is a resumable local directory, otherwise nil.
func (c *Committer) local() *localStore {
	if s, ok := c.Store.(*localStore); ok && s.token != "" {
		return s
	}
	return nil
}

// Finish completes the commit of a run that was killed between CommitJob and the end of ForgetJob.
// Otherwise it does nothing.
func (d Destination) Finish() error {
	s, ok := d.store.(*localStore)
	if !ok {
		return nil
	}
	dir, err := s.openResumable(s.dir)
	if err != nil {
		return err
	}
	if dir == nil {
		s.sweep()
		return nil
	}
	if !dir.has(Success) {
		return dir.release()
	}
	if err := s.continueIn(dir); err != nil {
		return err
	}
	return s.forget()
}

// Resumable reports whether another run can continue the output if this one is killed.
func (c *Committer) Resumable() bool { return c.local() != nil }

// Tasks returns the committed tasks, by this run or the killed run that it continues, as attempts
// with Try 0.
func (c *Committer) Tasks() (list []attempt.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for t := range c.committed {
		list = append(list, attempt.ID{Kind: t.kind, Index: t.index})
	}
	slices.SortFunc(list, func(a, b attempt.ID) int { return a.Index - b.Index })
	return list
}

// Complete reports whether SetupJob has found the output complete, so that nothing is left to do.
func (c *Committer) Complete() bool {
	s := c.local()
	return s != nil && s.complete
}

// DropCommitted removes the parts of the killed run, so that the job starts from the beginning.
func (c *Committer) DropCommitted() error {
	s := c.local()
	if s == nil || s.out == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for t := range c.committed {
		if err := s.out.root.Remove(c.Part(attempt.ID{Kind: t.kind, Index: t.index}).name); err != nil {
			return err
		}
	}
	clear(c.committed)
	return s.dropRouted(nil)
}

// ForgetJob removes the files with which another run would continue the job, after CommitJob.
func (c *Committer) ForgetJob() error {
	if s := c.local(); s != nil {
		return s.forget()
	}
	return nil
}

// LeaveJob unlocks a resumable output and leaves its files, so that another run can continue it.
func (c *Committer) LeaveJob() error {
	if s := c.local(); s != nil {
		return s.leave()
	}
	return c.AbortJob()
}

// takeIn marks the tasks whose parts Setup has found as committed.
func (c *Committer) takeIn() error {
	s := c.local()
	if s == nil || s.temp == nil {
		return nil
	}
	parts, err := s.parts(c.extension)
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, t := range parts {
		c.committed[t] = true
	}
	return err
}

// sweep removes an empty directory of temporary files from a complete output. A run that was killed
// just before it removed the directory has left it. A running job's directory is never empty.
func (s *localStore) sweep() {
	if s.token == "" {
		return
	}
	d, err := openOutputDir(s.tree, s.dir)
	if err != nil {
		return
	}
	if d.has(Success) && d.mine() {
		_ = d.root.Remove(Temporary) // an error means that it does not exist or is not empty
	}
	_ = d.release()
}

// resume opens the output of a killed run with this token, if there is one, and continues in it. A
// run that replaces an output writes into a directory with the suffix .new first.
func (s *localStore) resume() (found bool, err error) {
	paths := []string{s.dir}
	if s.replace {
		paths = append(paths, s.beside(".new"))
	}
	for _, path := range paths {
		d, err := s.openResumable(path)
		if err != nil {
			return false, err
		}
		if d == nil {
			continue
		}
		if path != s.dir {
			if s.old, err = s.find(); errors.Is(err, fs.ErrNotExist) {
				return false, d.release() // no earlier output to replace: the job starts from the beginning
			} else if err != nil {
				return false, errors.Join(err, d.release())
			}
		}
		return true, s.continueIn(d)
	}
	return false, nil
}

// openResumable opens and locks a directory that a run with this token has left, or returns nil.
func (s *localStore) openResumable(path string) (*outputDir, error) {
	if s.token == "" {
		return nil, nil
	}
	d, err := openOutputDir(s.tree, path)
	if err != nil {
		return nil, nil //nolint:nilerr // setup says what is wrong
	}
	if !s.isResumable(d) {
		return nil, d.release()
	}
	if err := d.take(false); err != nil {
		return nil, err
	}
	if !s.isResumable(d) { // somebody else had it until now
		return nil, d.release()
	}
	return d, nil
}

// isResumable reports whether a run with this token left the directory.
func (s *localStore) isResumable(d *outputDir) bool {
	token, err := fs.ReadFile(d.root.FS(), Temporary+"/"+resumeMark)
	_, stranger, bad := d.entries()
	return err == nil && bad == nil && string(token) == s.token && stranger == "" && d.mine()
}

// continueIn makes d, of a killed run, this run's output. It removes unfinished attempts, and an
// earlier output that d has replaced.
func (s *localStore) continueIn(d *outputDir) error {
	temp, err := d.root.OpenRoot(Temporary)
	if err != nil {
		return errors.Join(err, d.release())
	}
	list, err := fs.ReadDir(temp.FS(), ".")
	for _, e := range list {
		if e.Name() != Success && e.Name() != resumeMark {
			err = errors.Join(err, temp.RemoveAll(e.Name()))
		}
	}
	if err != nil {
		return errors.Join(err, temp.Close(), d.release())
	}
	s.out, s.temp, s.begun, s.complete = d, temp, d.path, d.has(Success)
	if s.replace && d.path == s.dir {
		_ = s.clear(s.beside(".new")) // it may not exist
	}
	return nil
}

// mark writes a resumable job's token among the temporary files, as the last step of set-up.
func (s *localStore) mark(temp *os.Root) error {
	f, err := temp.OpenFile(resumeMark, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = io.WriteString(f, s.token)
	return errors.Join(err, f.Close())
}

var partName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^part-([mr])-(\d+)`) })

// parts returns the tasks whose parts are in the directory. It removes parts with other extensions.
func (s *localStore) parts(extension string) (list []taskID, err error) {
	entries, _, err := s.out.entries()
	for _, e := range entries {
		m := partName().FindStringSubmatch(e.Name())
		if m == nil {
			continue
		}
		t := taskID{kind: attempt.Map}
		if m[1] == "r" {
			t.kind = attempt.Reduce
		}
		var bad error
		if t.index, bad = strconv.Atoi(m[2]); bad != nil || fmt.Sprintf("part-%s-%05d%s", m[1], t.index, extension) != e.Name() {
			err = errors.Join(err, s.out.root.Remove(e.Name()))
			continue
		}
		list = append(list, t)
	}
	return list, errors.Join(err, s.dropRouted(list))
}

// syncedFile is a file whose Close forces its content to disk.
type syncedFile struct{ *os.File }

// Close implements io.Closer.
func (f syncedFile) Close() error { return errors.Join(f.Sync(), f.File.Close()) }
