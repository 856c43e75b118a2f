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

// room bounds what the files of the block store hold together.
type room struct {
	most  int64                 // 0: no bound
	count func() (int64, error) // bytes of the files that are there

	mu      sync.Mutex
	settled int64 // of files that are there, if known
	known   bool
	coming  int64 // of files that are being put, and outputs that are being written
}

// full is why nothing more is taken.
func (r *room) full() error {
	return &fault{
		http.StatusInsufficientStorage, "store-full", fmt.Sprintf("the block store is full: its files may hold %d bytes together (tarry fs rm makes room)", r.most),
	}
}

// take charges bytes that come; the error is full.
func (r *room) take(n int64) error {
	if r.most == 0 {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.charge(n)
}

// charge is take where there is a bound. The caller holds mu.
func (r *room) charge(n int64) error {
	if !r.known {
		var err error
		if r.settled, err = r.count(); err != nil {
			return err
		}
		r.known = true
	}
	if r.settled+r.coming+n > r.most {
		return r.full()
	}
	r.coming += n
	return nil
}

// settle ends a put of so many bytes; there says that they have become a file.
func (r *room) settle(n int64, there bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.coming -= n
	if there {
		r.settled += n
	}
}

// claim is what the output of a job takes of the room until it has ended; a nil one takes nothing.
type claim struct {
	room *room
	n    int64 // by room.mu, as is over
	over bool
}

// grow charges bytes that come, or gives back those that are negative; the error is full.
func (c *claim) grow(n int64) error {
	r := c.room
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.most == 0 || c.over:
		return nil
	case n < 0:
		r.coming += n
	default:
		if err := r.charge(n); err != nil {
			return err
		}
	}
	c.n += n
	return nil
}

// found charges what a former process wrote of an output below a directory, full or not.
func (c *claim) found(dir string) {
	files, _ := filesBelow(dir, "") // what is not seen now is counted when the job has ended
	c.room.mu.Lock()
	defer c.room.mu.Unlock()
	for _, file := range files {
		if info, err := os.Stat(file); err == nil {
			c.n += info.Size()
			c.room.coming += info.Size()
		}
	}
}

// end settles the output, while leave makes it one that is counted with the files. recount is for an
// output of which a former process wrote some.
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

// changed has the files counted anew before the next is taken.
func (r *room) changed() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.known = false
}

// check refuses a job that writes to a store that is full, as far as that is known.
func (r *room) check() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.most > 0 && r.known && r.settled+r.coming >= r.most {
		return r.full()
	}
	return nil
}

// charged is a content whose bytes are charged as they are read.
type charged struct {
	content io.Reader
	room    *room
	n       int64
}

// Read implements io.Reader.
func (c *charged) Read(b []byte) (int, error) {
	n, err := c.content.Read(b)
	if full := c.room.take(int64(n)); full != nil {
		return 0, full
	}
	c.n += int64(n)
	return n, err
}

// countStored counts the bytes of the files of the block store, but for the blocks of jobs' inputs and
// the outputs of jobs that have not ended, which their claims count.
func (s *Server) countStored() (sum int64, err error) {
	err = fs.WalkDir(s.cluster.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil // it was removed meanwhile
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
