package serve

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"sync"
)

// room bounds what the files of the block store hold together.
type room struct {
	most  int64                 // 0: no bound
	count func() (int64, error) // bytes of the files that are there

	mu      sync.Mutex
	settled int64 // of files that are there, if known
	known   bool
	coming  int64 // of files that are being put
}

// full is why nothing more is taken.
func (r *room) full() error {
	return &fault{
		http.StatusInsufficientStorage, "store-full", fmt.Sprintf("the block store is full: its files may hold %d bytes together (tarry rm makes room)", r.most),
	}
}

// take charges bytes that come; the error is full.
func (r *room) take(n int64) error {
	if r.most == 0 {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
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

// countStored counts the bytes of the files of the block store, but for the blocks of jobs' inputs.
func (s *Server) countStored() (sum int64, err error) {
	err = fs.WalkDir(s.cluster.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil // it was removed meanwhile
		case err != nil:
			return err
		case e.IsDir() && name == jobInputs:
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
