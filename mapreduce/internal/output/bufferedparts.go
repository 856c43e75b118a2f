package output

import (
	"bytes"
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
	return Destination{store: &writerStore{
		label: name, w: w, pending: map[string]*heldPart{},
		ready: map[int]*heldPart{},
	}}
}

type writerStore struct {
	label    string
	spillDir string // set by Prepare

	mu      sync.Mutex
	w       io.Writer
	pending map[string]*heldPart // by attempt
	ready   map[int]*heldPart    // committed, waiting for earlier parts
	next    int                  // the next part to send
	err     error                // the first error of w; nothing is sent after it
	used    bool                 // by a job
}

func (s *writerStore) Name() string { return s.label }

func (s *writerStore) Setup() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.used {
		return fmt.Errorf("output %s: %w", s.label, ErrDestinationUsed)
	}
	s.used = true
	return nil
}

func (s *writerStore) Create(p Part) (io.WriteCloser, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := &heldPart{dir: s.spillDir}
	s.pending[p.Attempt] = h
	return h, nil
}

func (s *writerStore) Commit(p Part) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.pending[p.Attempt]
	if h == nil {
		return fmt.Errorf("mapreduce: commit of unknown attempt %s", p.Attempt)
	}
	delete(s.pending, p.Attempt)
	s.ready[p.Index] = h
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

func (s *writerStore) Discard(p Part) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.pending[p.Attempt]
	if h == nil {
		return nil
	}
	delete(s.pending, p.Attempt)
	return h.discard()
}

func (s *writerStore) Success() error { return s.Abort() }

// Abort drops the parts that are not written yet.
func (s *writerStore) Abort() error {
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

// heldPart is a part that waits until it is written: in memory or, beyond holdLimit, in a file. If
// possible the file has no name, so that a killed process leaves nothing behind.
type heldPart struct {
	dir     string
	buf     []byte
	file    *os.File
	removed bool
}

// Write implements io.Writer.
func (h *heldPart) Write(p []byte) (int, error) {
	if h.file == nil {
		if len(h.buf)+len(p) <= holdLimit {
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

// MemoryStore keeps a job's parts in memory, for Collected.
type MemoryStore struct {
	mu      sync.Mutex
	pending map[string]*bytes.Buffer // by attempt
	parts   [][]byte                 // committed, by task
	used    bool                     // by a job that has not failed
	whole   bool                     // that job has succeeded
}

// Name implements Store.
func (m *MemoryStore) Name() string { return "memory" }

// Setup implements Store.
func (m *MemoryStore) Setup() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.used {
		return fmt.Errorf("output %s: %w", m.Name(), ErrDestinationUsed)
	}
	m.used = true
	return nil
}

// Create implements Store.
func (m *MemoryStore) Create(p Part) (io.WriteCloser, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	b := new(bytes.Buffer)
	if m.pending == nil {
		m.pending = map[string]*bytes.Buffer{}
	}
	m.pending[p.Attempt] = b
	return nopCloser{b}, nil
}

// Commit implements Store.
func (m *MemoryStore) Commit(p Part) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for len(m.parts) <= p.Index {
		m.parts = append(m.parts, nil)
	}
	m.parts[p.Index] = m.pending[p.Attempt].Bytes()
	delete(m.pending, p.Attempt)
	return nil
}

// Discard implements Store.
func (m *MemoryStore) Discard(p Part) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.pending, p.Attempt)
	return nil
}

// Success implements Store.
func (m *MemoryStore) Success() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.whole = true
	return nil
}

// Abort implements Store.
func (m *MemoryStore) Abort() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.pending, m.parts, m.used, m.whole = nil, nil, false, false
	return nil
}

// CommittedParts returns the parts by task; false before the job has succeeded.
func (m *MemoryStore) CommittedParts() ([][]byte, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.parts, m.whole
}
