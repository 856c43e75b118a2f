package serve

import (
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"github.com/tarry-mr/tarry/dfs"
)

// remember writes an entry about stored or removed files to disk.
func (s *Server) remember(e *entry) error {
	s.writing.RLock()
	defer s.writing.RUnlock()
	if err := s.memory.write(e); err != nil {
		return busy("no-state", "the file cannot be remembered: %v", err)
	}
	s.catalog.note(e, "")
	return nil
}

// snapshot returns the jobs, files and outputs that must survive the process.
func (s *Server) snapshot() *snapshot {
	all := s.jobs.snapshot()
	all.stored = s.catalog.copied()
	return all
}

// checkFiles compares the files on disk with the recorded ones, by name and size, and adds missing
// ones; contents are verified when they are read. A file without a record comes from an upload, or
// removal, that was never acknowledged: it is complete and is kept.
func (s *Server) checkFiles(there map[string]string) (err error) {
	sums := s.catalog.Files
	for name, file := range there {
		if sums[name] != nil {
			continue
		}
		if sums[name], err = sumsOf(file); err != nil {
			return err
		}
	}
	for name, want := range sums {
		file := s.memory.stored(name)
		info, err := os.Stat(file)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			s.cfg.Log.Error("a stored file is missing", "file", file)
		case err != nil:
			return err
		case info.Size() != want.Size:
			s.cfg.Log.Error("a stored file is damaged", "file", file, "bytes", info.Size(), "want", want.Size)
		}
		there[name] = file
	}
	return nil
}

// sumsOf returns the checksums of a file on this machine.
func sumsOf(file string) (*dfs.Sums, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	sums := new(dfs.Sums)
	_, err = io.Copy(sums, f)
	return sums, errors.Join(err, f.Close())
}

// checkWhole verifies a stored file from start to end, once per process, before its first download:
// once the answer has begun, no error can be reported.
func (c *catalog) checkWhole(name string, content io.ReaderAt) error {
	c.mu.Lock()
	sums := c.Files[name]
	sound := c.sound[name]
	c.mu.Unlock()
	if sums == nil || sound {
		return nil
	}
	if _, err := io.Copy(io.Discard, io.NewSectionReader(content, 0, sums.Size)); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.Files[name] == sums { // it was not removed meanwhile
		c.sound[name] = true
	}
	return nil
}

// discard removes a file or directory of the block store from the disk atomically.
func (m *memory) discard(name string) error {
	if m == nil {
		return nil
	}
	parts := filepath.Join(m.dir, partDir)
	if err := os.MkdirAll(parts, 0o700); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(parts, "removed-")
	if err != nil {
		return err
	}
	err = os.Rename(m.stored(name), filepath.Join(dir, "it"))
	switch {
	case err == nil:
		err = syncDir(filepath.Dir(m.stored(name))) // or the next process would restore it
	case errors.Is(err, fs.ErrNotExist):
		err = nil // it was missing already
	}
	return errors.Join(err, os.RemoveAll(dir))
}

// stored lists the files of the block store that must survive the process, and the finished outputs
// in it. Only the owners of these and administrators may add files there, because readers take all
// files for the job's output.
type stored struct {
	Files   map[string]*dfs.Sums // checksums of files on disk, by name; immutable
	Outputs map[string]string    // owners of finished outputs, by directory
}

// apply changes the lists as an entry of the journal says; owner is that of the entry's job.
func (s *stored) apply(e *entry, owner string) {
	maps.Copy(s.Files, e.Stored)
	if e.Output != "" {
		s.Outputs[e.Output] = owner
	}
	if e.Removed != "" {
		dropBelow(s.Files, e.Removed)
		dropBelow(s.Outputs, e.Removed)
	}
}

// catalog is what this process knows of the files of the block store.
type catalog struct {
	mu sync.Mutex
	stored
	sound map[string]bool // files that this process has verified completely
	// placing is held from the check that nobody writes to a place in the store until the caller
	// occupies it.
	placing sync.Mutex
}

// note updates the catalog by an entry of the journal.
func (c *catalog) note(e *entry, owner string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.apply(e, owner)
	if e.Removed != "" {
		clear(c.sound) // another file may reuse the name
	}
}

// copied returns the lists as they are now.
func (c *catalog) copied() stored {
	c.mu.Lock()
	defer c.mu.Unlock()
	return stored{maps.Clone(c.Files), maps.Clone(c.Outputs)}
}

// dropBelow deletes the keys at or below a name.
func dropBelow[V any](m map[string]V, name string) {
	maps.DeleteFunc(m, func(key string, _ V) bool { return key == name || strings.HasPrefix(key, name+"/") })
}

// holding returns the innermost output that a name is in, and its owner.
func (c *catalog) holding(name string) (dir, owner string, found bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for dir = name; dir != "."; dir = path.Dir(dir) {
		if owner, found = c.Outputs[dir]; found {
			return dir, owner, true
		}
	}
	return "", "", false
}

// mayAdd returns an error if name is in a finished output of another user and the caller may not
// add files there.
func (s *Server) mayAdd(c caller, name string) error {
	dir, owner, found := s.catalog.holding(name)
	if !found || c.User == owner && owner != "" || s.isAdmin(c) || s.trusting() {
		return nil
	}
	return deny("%s%s is the finished output of a job of %s: only that user and administrators may add to it", inStore, dir, owner)
}

// checkPlace rejects an upload to an existing file or to the output of a job. It checks unfinished
// outputs first, because a job finishes its output before it stops being its writer.
func (s *Server) checkPlace(c caller, name string) error {
	if j := s.jobs.writer(s, name); j != nil {
		return conflict("in-use", "job %d writes %s", j.ID, name)
	}
	if err := s.mayAdd(c, name); err != nil {
		return err
	}
	if _, err := s.cluster.FS().Stat(name); err == nil {
		return conflict("exists", "%s is there already", name)
	}
	return nil
}
