package serve

import (
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"time"
)

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
	file, gone := l.stored(name), filepath.Join(l.dir, partDir, "removed-"+rand.Text())
	err := os.Rename(file, gone)
	switch {
	case err == nil:
		err = l.syncDir(filepath.Dir(file)) // or the next process would restore it
	case errors.Is(err, fs.ErrNotExist):
		err = nil // it was missing already
	}
	return errors.Join(err, os.RemoveAll(gone))
}

// claim is the space that an upload or an unfinished output takes from the store's limit.
type claim struct {
	*ledger
	n    int64 // guarded by mu, like over
	over bool
}

// grow charges n arriving bytes, or returns them if n is negative. Beyond the limit it returns an
// error. Once the claim has ended it does nothing.
func (c *claim) grow(n int64) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.over:
		return nil
	case n >= 0 && c.maxBytes > 0 && c.bytes+c.coming+n > c.maxBytes:
		return refuse("store-full",
			"the block store is full: its files may hold %d bytes together (tarry fs rm makes room)", c.maxBytes)
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

// checkPlace rejects an upload to an existing file or into the output of a job. It checks
// unfinished outputs first, because a job finishes its output before it stops being its writer.
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
