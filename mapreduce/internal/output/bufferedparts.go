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

// Writer implements mapreduce.Writer, which documents it.
func Writer(name string, w io.Writer) Destination {
	return Destination{store: &writerStore{heldParts: heldParts{label: name, spills: true}, w: w}}
}

// heldParts holds the parts of one job until they are committed and until its store takes them.
type heldParts struct {
	label    string
	spills   bool   // parts beyond holdLimit are in files
	spillDir string // set by Prepare

	mu      sync.Mutex
	pending map[string]*heldPart // by attempt
	ready   map[int]*heldPart    // committed, by task
	used    bool                 // by a job
}

func (s *heldParts) Name() string {
	if !s.spills {
		return "memory"
	}
	return s.label
}

func (s *heldParts) Setup() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.used {
		return fmt.Errorf("output %s: %w", s.Name(), ErrDestinationUsed)
	}
	s.used = true
	return nil
}

func (s *heldParts) Create(p Part) (io.WriteCloser, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := &heldPart{dir: s.spillDir, spills: s.spills}
	if s.pending == nil {
		s.pending, s.ready = map[string]*heldPart{}, map[int]*heldPart{}
	}
	s.pending[p.Attempt] = h
	return h, nil
}

func (s *heldParts) Commit(p Part) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.pending[p.Attempt]
	if h == nil {
		return fmt.Errorf("mapreduce: commit of unknown attempt %s", p.Attempt)
	}
	delete(s.pending, p.Attempt)
	s.ready[p.Index] = h
	return nil
}

func (s *heldParts) Discard(p Part) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.pending[p.Attempt]
	if h == nil {
		return nil
	}
	delete(s.pending, p.Attempt)
	return h.discard()
}

// Abort drops all parts that it still holds.
func (s *heldParts) Abort() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var err error
	for _, h := range s.pending {
		err = errors.Join(err, h.discard())
	}
	for _, h := range s.ready {
		err = errors.Join(err, h.discard())
	}
	clear(s.pending)
	clear(s.ready)
	return err
}

// writerStore sends parts to a user's writer in the order of their tasks.
type writerStore struct {
	heldParts
	w    io.Writer
	next int   // the next part to send
	err  error // the first error of w; nothing is sent after it
}

func (s *writerStore) Commit(p Part) error {
	if err := s.heldParts.Commit(p); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for h := s.ready[s.next]; h != nil && s.err == nil; h = s.ready[s.next] {
		delete(s.ready, s.next)
		s.next++
		s.send(h)
	}
	return fault.Permanent(s.err)
}

// send writes a part to the user's writer. It records errors, and panics as errors.
func (s *writerStore) send(h *heldPart) {
	fault.Contained(&s.err, func() error { return h.sendTo(s.w) })
	s.err = cmp.Or(s.err, h.discard())
}

func (s *writerStore) Success() error { return s.Abort() }

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

// MemoryStore keeps a job's parts in memory, for Collected. Its zero value is ready to use.
type MemoryStore struct {
	heldParts
	whole bool // the job that uses it has succeeded
}

// Success implements Store.
func (m *MemoryStore) Success() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.whole = true
	return nil
}

// Abort implements Store. Another job may then use m.
func (m *MemoryStore) Abort() error {
	err := m.heldParts.Abort()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.used, m.whole = false, false
	return err
}

// CommittedParts returns the parts by task; false before the job has succeeded.
func (m *MemoryStore) CommittedParts() (parts [][]byte, whole bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, h := range m.ready {
		parts = append(parts, make([][]byte, max(0, i+1-len(parts)))...)
		parts[i] = h.buf
	}
	return parts, m.whole
}
