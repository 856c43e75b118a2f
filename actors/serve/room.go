package serve

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"sync"
)

// storeQuota limits the total size of the files in the block store.
type storeQuota struct {
	maxBytes int64                 // 0: no limit
	count    func() (int64, error) // counts the bytes of existing files

	mu      sync.Mutex
	settled int64 // bytes of existing files, if known
	known   bool
	coming  int64 // bytes of uploads and outputs in progress
}

// full returns the error of an upload or output beyond the limit.
func (r *storeQuota) full() error {
	return &fault{
		http.StatusInsufficientStorage, "store-full", fmt.Sprintf("the block store is full: its files may hold %d bytes together (tarry fs rm makes room)", r.maxBytes),
	}
}

// claim is the space that an upload or an unfinished output takes from the quota. A nil claim takes
// none.
type claim struct {
	room *storeQuota
	n    int64 // guarded by room.mu, like over
	over bool
}

// grow charges n arriving bytes, or returns them if n is negative. Beyond the limit it returns the
// error of full.
func (c *claim) grow(n int64) (err error) {
	r := c.room
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.maxBytes == 0 || c.over {
		return nil
	}
	if n >= 0 && !r.known {
		if r.settled, err = r.count(); err != nil {
			return err
		}
		r.known = true
	}
	if n >= 0 && r.settled+r.coming+n > r.maxBytes {
		return r.full()
	}
	r.coming += n
	c.n += n
	return nil
}

// found charges the files that an earlier process wrote to an output, even beyond the limit.
func (c *claim) found(dir string) {
	files, _ := filesBelow(dir, "") // files missed now are counted when the job has ended
	c.room.mu.Lock()
	defer c.room.mu.Unlock()
	for _, file := range files {
		if info, err := os.Stat(file); err == nil {
			c.n += info.Size()
			c.room.coming += info.Size()
		}
	}
}

// end ends the claim and calls leave, which makes the output count as files; there reports whether
// the files were stored. recount says that an earlier process wrote some of the output, so that the
// files must be recounted.
func (c *claim) end(there, recount bool, leave func()) {
	if c == nil {
		leave()
		return
	}
	r := c.room
	r.mu.Lock()
	defer r.mu.Unlock()
	leave()
	c.over = true
	r.coming -= c.n
	if there {
		r.settled += c.n
	}
	r.known = r.known && !recount
}

// changed makes the next charge recount the files.
func (r *storeQuota) changed() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.known = false
}

// check returns an error if the store is known to be full.
func (r *storeQuota) check() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.maxBytes > 0 && r.known && r.settled+r.coming >= r.maxBytes {
		return r.full()
	}
	return nil
}

// charged is an upload whose bytes are charged to a claim as they arrive.
type charged struct {
	io.Reader
	claim *claim
}

// Read implements io.Reader.
func (c *charged) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	if full := c.claim.grow(int64(n)); full != nil {
		return 0, full
	}
	return n, err
}

// countStored returns the bytes of the block store's files. It skips the blocks of jobs' inputs and
// the outputs of unfinished jobs, which their claims count.
func (s *Server) countStored() (sum int64, err error) {
	err = fs.WalkDir(s.cluster.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil // removed meanwhile
		case err != nil:
			return err
		case e.IsDir() && (name == jobInputs || s.jobs.writes(s.storedTarget(name))):
			return fs.SkipDir
		case e.IsDir():
			return nil
		}
		info, err := e.Info()
		if err == nil {
			sum += info.Size()
		}
		return nil
	})
	return sum, err
}
