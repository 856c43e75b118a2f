package serve

import (
	"maps"
	"path"
	"strings"
	"sync"
)

// outputs are the directories of the block store that jobs have written and finished. They are closed:
// only their owners and administrators add files, since whoever reads one takes it for what its job wrote.
type outputs struct {
	mu     sync.Mutex
	owners map[string]string // users, by the name of the directory
	// placing is held while it is checked that nobody writes to a place of the store, and until the
	// one who asked for it has it.
	placing sync.Mutex
}

// add notes the finished output of an owner.
func (o *outputs) add(name, owner string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.owners[name] = owner
}

// all are the owners, by the name of the directory.
func (o *outputs) all() map[string]string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return maps.Clone(o.owners)
}

// drop forgets the outputs at a name or below it.
func (o *outputs) drop(name string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	dropBelow(o.owners, name)
}

// dropBelow deletes the keys that are a name or below it.
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

// mayAdd is nil if the caller may store something under a name: it is in no finished output of another.
func (s *Server) mayAdd(c caller, name string) error {
	dir, owner, found := s.outputs.holding(name)
	if !found || c.User == owner && owner != "" || s.isAdmin(c) || s.trusting() {
		return nil
	}
	return deny("%s%s is the finished output of a job of %s: only that user and administrators may add to it", inStore, dir, owner)
}

// checkPlace refuses a put to what is there, or to the output of a job: first to one that is being
// written, for a job that ends has a finished output before it writes no more.
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
