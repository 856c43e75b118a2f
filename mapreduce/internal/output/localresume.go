package output

import (
	"errors"
	"regexp"
	"slices"
	"strconv"
	"sync"

	"github.com/tarry-mr/tarry/mapreduce/internal/attempt"
)

// Resumable returns d such that SetupJob continues the output of a killed run of the same job: its
// parts stay (see Committer.Tasks), and an output that lacks only its last steps is completed.
// token identifies the job; different jobs must have different tokens. Parts are forced to disk
// before they are committed, and ForgetJob must follow CommitJob. Destinations other than local
// directories are returned unchanged.
func (d Destination) Resumable(token string) Destination {
	if d.local != nil {
		d.local.token = token
	}
	return d
}

// Finish completes the commit of a run that was killed between CommitJob and the end of ForgetJob.
// Otherwise it does nothing.
func (d Destination) Finish() error {
	if d.local == nil {
		return nil
	}
	done, err := d.local.published()
	if done == nil || err != nil {
		return err
	}
	d.local.resume(done)
	return d.local.forget()
}

// isResumable reports whether a run with this token left the directory.
func (s *localStore) isResumable(d *outputDir) bool {
	if s.token == "" {
		return false
	}
	token, err := d.root.ReadFile(resumeMark)
	_, stranger, bad := d.entries()
	return err == nil && bad == nil && string(token) == s.token && stranger == "" && d.mine()
}

// published opens and locks the output if a run with this token has published it and not forgotten.
func (s *localStore) published() (*outputDir, error) {
	d, err := openOutputDir(s.tree, s.dir)
	switch {
	case err != nil:
		return nil, nil //nolint:nilerr // earlier says what is wrong
	case !s.isResumable(d):
		return nil, d.release()
	case !d.take():
		return nil, s.busy()
	case !s.isResumable(d): // another process had it until now
		return nil, d.release()
	}
	return d, nil
}

// resume makes d, a published output, this run's. It removes the earlier output that d has
// replaced.
func (s *localStore) resume(d *outputDir) {
	s.out = d
	if old, err := openOutputDir(s.tree, s.beside(".new")); err == nil && s.takeLeft(old) == nil {
		_ = old.remove() // the next run does it
	}
}

// resumable returns the store if it is a resumable local directory, otherwise nil.
func (c *Committer) resumable() *localStore {
	if c.local == nil || c.local.token == "" {
		return nil
	}
	return c.local
}

// Resumable reports whether another run can continue the output if this one is killed.
func (c *Committer) Resumable() bool { return c.resumable() != nil }

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
	s := c.resumable()
	return s != nil && s.out != nil && s.out.has(Success)
}

// ForgetJob removes the file with which another run would continue the job, after CommitJob.
func (c *Committer) ForgetJob() error {
	if s := c.resumable(); s != nil {
		return s.forget()
	}
	return nil
}

// LeaveJob unlocks a resumable output and leaves its files, so that another run can continue it.
func (c *Committer) LeaveJob() error {
	if s := c.resumable(); s != nil {
		return s.leave()
	}
	return c.AbortJob()
}

// DropCommitted removes the parts of the killed run, so that the job starts from the beginning.
func (c *Committer) DropCommitted() error { return c.takeIn(false) }

// taskFile matches the names of tasks' files: parts, and files for names (Routes).
var taskFile = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([^_.].*)-([mr])-(\d{5,})(\.\w+){0,2}$`)
})

// taskOf returns the task whose file has this name, and the name without task and extension; "" for
// a file of no task.
func taskOf(name string) (t taskID, base string) {
	m := taskFile().FindStringSubmatch(name)
	if m == nil {
		return t, ""
	}
	if t.kind = attempt.Map; m[2] == "r" {
		t.kind = attempt.Reduce
	}
	t.index, _ = strconv.Atoi(m[3]) // a number that is too large gives another name
	return t, m[1]
}

// takeIn marks the tasks whose parts a killed run has left as committed; with keep unset, none. It
// removes the files of other tasks.
func (c *Committer) takeIn(keep bool) error {
	s := c.resumable()
	if s == nil || s.out == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.committed)
	list, _, err := s.out.entries()
	for _, e := range list {
		if t, base := taskOf(e.Name()); keep && base == "part" && e.Name() == c.fileName(base, t) {
			c.committed[t] = true
		}
	}
	for _, e := range list {
		if t, base := taskOf(e.Name()); base != "" && !(c.committed[t] && e.Name() == c.fileName(base, t)) {
			err = errors.Join(err, s.out.root.Remove(e.Name()))
		}
	}
	return err
}
