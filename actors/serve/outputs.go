package serve

import (
	"maps"
	"path"
	"strings"
	"sync"
)

// outputs are the directories of the block store that hold finished outputs of jobs. Only their
// owners and administrators may add files, because readers take all files for the job's output.
type outputs struct {
	mu     sync.Mutex
	owners map[string]string // users, by directory
	// placing is held from the check that nobody writes to a place in the store until the caller
	// occupies it.
	placing sync.Mutex
}

// add records a directory that holds a finished output, and its owner.
func (o *outputs) add(name, owner string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.owners[name] = owner
}

// all returns the owner of each finished output, by directory.
func (o *outputs) all() map[string]string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return maps.Clone(o.owners)
}

// drop forgets the finished outputs at or below a name that is removed.
func (o *outputs) drop(name string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	dropBelow(o.owners, name)
}

// dropBelow deletes the keys at or below a name.
func dropBelow[V any](m map[string]V, name string) {
	maps.DeleteFunc(m, func(key string, _ V) bool { return key == name || strings.HasPrefix(key, name+"/") })
}

// holding returns the innermost output that a name is in, and its owner.
func (o *outputs) holding(name string) (dir, owner string, found bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for dir = name; dir != "."; dir = path.Dir(dir) {
		if owner, found = o.owners[dir]; found {
			return dir, owner, true
		}
	}
	return "", "", false
}

// mayAdd returns an error if name is in a finished output of another user and the caller may not
// add files there.
func (s *Server) mayAdd(c caller, name string) error {
	dir, owner, found := s.outputs.holding(name)
	if !found || c.User == owner && owner != "" || s.isAdmin(c) || s.trusting() {
		return nil
	}
	return deny("%s%s is the finished output of a job of %s: only that user and administrators may add to it", inStore, dir, owner)
}

// checkPlace rejects an upload to an existing file or to the output of a job. It checks unfinished
// outputs first, because a job finishes its output before it stops being its writer.
func (s *Server) checkPlace(c caller, name string) error {
	if j := s.jobs.writer(s, name); j != nil {
		return conflict("in-use", "job %d writes %s", j.id, name)
	}
	if err := s.mayAdd(c, name); err != nil {
		return err
	}
	if _, err := s.cluster.FS().Stat(name); err == nil {
		return conflict("exists", "%s is there already", name)
	}
	return nil
}
