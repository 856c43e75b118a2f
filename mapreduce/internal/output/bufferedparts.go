package output

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
)

// holdLimit is the maximum bytes in memory of a part that waits for earlier ones; a larger one is
// in a temporary file.
const holdLimit = 1 << 20

// BufferedStore holds the parts of a job. A Writer gets each one once it and all earlier ones are
// committed; without a Writer they stay in memory, for Collected. The zero value is the latter.
type BufferedStore struct {
	label    string
	spills   bool   // it has a Writer; parts beyond holdLimit are in files
	spillDir string // set by Prepare

	mu      sync.Mutex
	pending map[string]*heldPart // by attempt
	ready   map[int]*heldPart    // committed, by task, until it is sent
	used    bool                 // by a job that has not failed, or that had a Writer
	whole   bool                 // that job has succeeded
	w       io.Writer
	next    int   // the next part to send
	err     error // the first error of w; nothing is sent after it
}

// Writer implements mapreduce.Writer, which documents it.
func Writer(name string, w io.Writer) Destination {
	return Destination{store: &BufferedStore{label: name, spills: true, w: w}}
}

// Name implements Store.
func (s *BufferedStore) Name() string {
	if !s.spills {
		return "memory"
	}
	return s.label
}

// Setup implements Store.
func (s *BufferedStore) Setup() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.used {
		return fmt.Errorf("output %s: %w", s.Name(), ErrDestinationUsed)
	}
	s.used = true
	return nil
}

// Create implements Store.
func (s *BufferedStore) Create(p Part) (io.WriteCloser, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := &heldPart{dir: s.spillDir, spills: s.spills}
	if s.pending == nil {
		s.pending, s.ready = map[string]*heldPart{}, map[int]*heldPart{}
	}
	s.pending[p.Attempt] = h
	return h, nil
}

// Commit implements Store.
func (s *BufferedStore) Commit(p Part) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.pending[p.Attempt]
	if h == nil {
		return fmt.Errorf("mapreduce: commit of unknown attempt %s", p.Attempt)
	}
	delete(s.pending, p.Attempt)
	s.ready[p.Index] = h
	for h := s.ready[s.next]; s.spills && h != nil && s.err == nil; h = s.ready[s.next] {
		delete(s.ready, s.next)
		s.next++
		s.send(h)
	}
	return fault.Permanent(s.err)
}

// Discard implements Store.
func (s *BufferedStore) Discard(p Part) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.pending[p.Attempt]
	if h == nil {
		return nil
	}
	delete(s.pending, p.Attempt)
	return h.discard()
}

// Success implements Store.
func (s *BufferedStore) Success() error {
	if s.spills {
		return s.Abort()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.whole = true
	return nil
}

// Abort implements Store. It drops all parts that it still holds; without a Writer, another job may
// then use s.
func (s *BufferedStore) Abort() (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, h := range s.pending {
		err = errors.Join(err, h.discard())
	}
	for _, h := range s.ready {
		err = errors.Join(err, h.discard())
	}
	clear(s.pending)
	clear(s.ready)
	s.used, s.whole = s.spills, false
	return err
}

// CommittedParts returns the parts by task; false before the job has succeeded.
func (s *BufferedStore) CommittedParts() (parts [][]byte, whole bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, h := range s.ready {
		parts = append(parts, make([][]byte, max(0, i+1-len(parts)))...)
		parts[i] = h.buf
	}
	return parts, s.whole
}

// send writes a part to the user's writer. It records errors, and panics as errors.
func (s *BufferedStore) send(h *heldPart) {
	fault.Contained(&s.err, func() error { return h.sendTo(s.w) })
	s.err = cmp.Or(s.err, h.discard())
}

// heldPart is a part that waits until it is written: in memory or, if it spills, beyond holdLimit in
// a file. If possible the file has no name, so that a killed process leaves nothing behind.
type heldPart struct {
	spills  bool
	dir     string
	buf     []byte
	file    *os.File
	removed bool
}

// Write implements io.Writer.
func (h *heldPart) Write(p []byte) (int, error) {
	if h.file == nil {
		if !h.spills || len(h.buf)+len(p) <= holdLimit {
			h.buf = append(h.buf, p...)
			return len(p), nil
		}
		f, err := os.CreateTemp(h.dir, "tarry-part-*")
		if err != nil {
			return 0, err
		}
		h.file, h.removed = f, os.Remove(f.Name()) == nil
		if _, err := f.Write(h.buf); err != nil {
			return 0, err
		}
		h.buf = nil
	}
	return h.file.Write(p)
}

// Close does nothing, because the part waits for Commit.
func (h *heldPart) Close() error { return nil }

func (h *heldPart) sendTo(w io.Writer) error {
	if h.file == nil {
		n, err := w.Write(h.buf)
		return wholly(int64(n), int64(len(h.buf)), err)
	}
	size, err := h.file.Seek(0, io.SeekCurrent)
	if err != nil {
		return err
	}
	if _, err := h.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	n, err := io.Copy(w, h.file)
	return wholly(n, size, err)
}

func (h *heldPart) discard() error {
	h.buf = nil
	if h.file == nil {
		return nil
	}
	err := h.file.Close()
	if !h.removed {
		err = errors.Join(err, os.Remove(h.file.Name()))
	}
	return err
}
