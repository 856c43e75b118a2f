package serve

import (
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/tarry-mr/tarry/dfs"
)

// sumsOf returns the checksums of a file.
func sumsOf(disk fs.FS, name string) (*dfs.Sums, error) {
	sums := new(dfs.Sums)
	f, err := disk.Open(name)
	if err != nil {
		return sums, err
	}
	_, err = io.Copy(sums, f)
	return sums, errors.Join(err, f.Close())
}

// checkWhole verifies a stored file from start to end, once per process, before its first download:
// once the answer has begun, no error can be reported.
func (l *ledger) checkWhole(name string, content io.Reader) error {
	l.mu.Lock()
	sums := l.files[name]
	l.mu.Unlock()
	if _, sound := l.sound.Load(sums); sound || sums == nil || !l.durable() {
		return nil
	}
	_, err := io.Copy(io.Discard, content)
	if err == nil {
		l.sound.Store(sums, true)
	}
	return err
}

// discard removes a file or directory of the block store from the disk atomically.
func (l *ledger) discard(name string) error {
	dir, err := os.MkdirTemp(filepath.Join(l.dir, partDir), "removed-")
	if err != nil {
		return err
	}
	err = os.Rename(l.stored(name), filepath.Join(dir, "it"))
	switch {
	case err == nil:
		err = l.syncDir(filepath.Dir(l.stored(name))) // or the next process would restore it
	case errors.Is(err, fs.ErrNotExist):
		err = nil // it was missing already
	}
	return errors.Join(err, os.RemoveAll(dir))
}

// full returns the error of an upload or output of n bytes beyond the limit. The caller holds mu.
func (l *ledger) full(n int64) error {
	if l.maxBytes == 0 || l.bytes+l.coming+n <= l.maxBytes {
		return nil
	}
	return refuse("store-full",
		"the block store is full: its files may hold %d bytes together (tarry fs rm makes room)", l.maxBytes)
}

// checkRoom returns an error if the store is full.
func (l *ledger) checkRoom() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.full(1)
}

// claim is the space that an upload or an unfinished output takes from the store's limit.
type claim struct {
	*ledger
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

// end ends the claim. A second end does nothing.
func (c *claim) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.release()
}

// release is end for a caller who holds mu.
func (c *claim) release() {
	if !c.over {
		c.over = true
		c.coming -= c.n
	}
}

// upload is the body of a request that stores a file. Each read has a deadline, and charges its
// bytes to the claim.
type upload struct {
	io.Reader
	control *http.ResponseController
	idle    time.Duration
	claim   claim
}

// Read implements io.Reader.
func (u *upload) Read(b []byte) (int, error) {
	_ = u.control.SetReadDeadline(time.Now().Add(u.idle)) // test writers do not support it
	n, err := u.Reader.Read(b)
	if full := u.claim.grow(int64(n)); full != nil {
		return 0, full
	}
	return n, err
}

// checkPlace rejects an upload to an existing file or into the output of a job. It checks unfinished
// outputs first, because a job finishes its output before it stops being its writer.
func (s *Server) checkPlace(name string) error {
	if j := s.ledger.writer(name); j != nil {
		return refuse("in-use", "job %d writes %s", j.ID, name)
	}
	if err := s.checkNew(name); err != nil {
		return err
	}
	if _, err := s.cluster.FS().Stat(name); err == nil {
		return refuse("exists", "%s is there already", name)
	}
	return nil
}
