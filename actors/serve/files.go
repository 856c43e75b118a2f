package serve

import (
	"errors"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/tarry-mr/tarry/dfs"
)

// remember writes an entry about stored or removed files to disk, and ends the claim of an upload.
func (s *Server) remember(e *entry, upload *claim) error {
	s.writing.RLock()
	defer s.writing.RUnlock()
	if err := s.memory.write(e); err != nil {
		return refuse("no-state", "the file cannot be remembered: %v", err)
	}
	s.catalog.note(e, "", upload)
	return nil
}

// snapshot returns the jobs, files and outputs that must survive the process.
func (s *Server) snapshot() *snapshot {
	t, c := s.jobs, &s.catalog
	t.mu.Lock()
	defer t.mu.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	all := &snapshot{
		Next: t.next, Keys: t.keys.ended(), stored: stored{Files: maps.Clone(c.Files), Outputs: maps.Clone(c.Outputs)},
	}
	for _, j := range t.list {
		all.Jobs = append(all.Jobs, j.durable())
	}
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
	s.catalog.bytes = 0
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
		s.catalog.bytes += want.Size
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
	dir, err := os.MkdirTemp(filepath.Join(m.dir, partDir), "removed-")
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

// stored lists the files of the block store, on disk with checksums, and the finished outputs in
// it. Only the owners of these and administrators may add files there, because readers take all
// files for the job's output.
type stored struct {
	Files   map[string]*dfs.Sums // sizes and checksums by name; immutable
	Outputs map[string]string    // owners of finished outputs, by directory
	bytes   int64                // total size of Files, once the server has started
}

// apply changes the lists as an entry of the journal says; owner is that of the entry's job.
func (s *stored) apply(e *entry, owner string) {
	for name, sums := range e.Stored {
		s.Files[name] = sums
		s.bytes += sums.Size
	}
	if e.Output != "" {
		s.Outputs[e.Output] = owner
	}
	if e.Removed == "" {
		return
	}
	maps.DeleteFunc(s.Files, func(name string, sums *dfs.Sums) bool {
		removed := inside(name, e.Removed)
		if removed {
			s.bytes -= sums.Size
		}
		return removed
	})
	maps.DeleteFunc(s.Outputs, func(dir, _ string) bool { return inside(dir, e.Removed) })
}

// inside reports whether a name is dir or below it.
func inside(name, dir string) bool { return name == dir || strings.HasPrefix(name, dir+"/") }

// catalog is what this process knows of the files of the block store. It limits their total size.
type catalog struct {
	maxBytes int64 // 0: no limit

	mu sync.Mutex
	stored
	coming int64           // bytes of uploads and outputs in progress: the sum of their claims
	sound  map[string]bool // files that this process has verified completely
	// placing is held from the check that nobody writes to a place in the store until the caller
	// occupies it.
	placing sync.Mutex
}

// note updates the catalog by an entry of the journal, and ends the claim of the files that the
// entry stores; nil: there is none.
func (c *catalog) note(e *entry, owner string, ends *claim) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.apply(e, owner)
	if e.Removed != "" {
		clear(c.sound) // another file may reuse the name
	}
	if ends != nil && !ends.over {
		ends.over = true
		c.coming -= ends.n
	}
}

// full returns the error of an upload or output of n bytes beyond the limit. The caller holds mu.
func (c *catalog) full(n int64) error {
	if c.maxBytes == 0 || c.bytes+c.coming+n <= c.maxBytes {
		return nil
	}
	return refuse("store-full",
		"the block store is full: its files may hold %d bytes together (tarry fs rm makes room)", c.maxBytes)
}

// checkRoom returns an error if the store is full.
func (c *catalog) checkRoom() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.full(1)
}

// claim is the space that an upload or an unfinished output takes from the store's limit.
type claim struct {
	*catalog
	n    int64 // guarded by mu, like over
	over bool
}

// grow charges n arriving bytes, or returns them if n is negative. Beyond the limit it returns the
// error of full. Once the claim has ended it does nothing.
func (c *claim) grow(n int64) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over {
		return nil
	}
	if n >= 0 {
		if err := c.full(n); err != nil {
			return err
		}
	}
	c.coming += n
	c.n += n
	return nil
}

// found charges the files that an earlier process wrote to an output, even beyond the limit.
func (c *claim) found(dir string) {
	files, _ := filesBelow(dir, "") // files missed now are counted when the job has ended
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, file := range files {
		if info, err := os.Stat(file); err == nil {
			c.n += info.Size()
			c.coming += info.Size()
		}
	}
}

// upload is the body of a request that stores a file. Each read has a deadline, and charges its
// bytes to the claim.
type upload struct {
	io.Reader
	control *http.ResponseController
	idle    time.Duration
	claim   claim
	size    int64
}

// Read implements io.Reader.
func (u *upload) Read(b []byte) (int, error) {
	_ = u.control.SetReadDeadline(time.Now().Add(u.idle)) // test writers do not support it
	n, err := u.Reader.Read(b)
	if full := u.claim.grow(int64(n)); full != nil {
		return 0, full
	}
	u.size += int64(n)
	return n, err
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
	return refuse("denied",
		"%s%s is the finished output of a job of %s: only that user and administrators may add to it", inStore, dir, owner)
}

// checkPlace rejects an upload to an existing file or to the output of a job. It checks unfinished
// outputs first, because a job finishes its output before it stops being its writer.
func (s *Server) checkPlace(c caller, name string) error {
	if j := s.jobs.writer(s, name); j != nil {
		return refuse("in-use", "job %d writes %s", j.ID, name)
	}
	if err := s.mayAdd(c, name); err != nil {
		return err
	}
	if _, err := s.cluster.FS().Stat(name); err == nil {
		return refuse("exists", "%s is there already", name)
	}
	return nil
}
