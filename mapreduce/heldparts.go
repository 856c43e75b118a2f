package mapreduce

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
)

// holdLimit is how much of a part that waits its turn stays in memory, in bytes;
// beyond it the part goes to a temporary file.
const holdLimit = 1 << 20

// Writer sends parts to w in the order of their tasks, each as soon as it and
// all before it are committed; w is not closed. Of a job that fails, w keeps
// the parts sent so far. name is what a person calls w, such as "-".
func Writer(name string, w io.Writer) Destination {
	return Destination{store: &writerStore{label: name, w: w, pending: map[string]*heldPart{}, ready: map[int]*heldPart{}}}
}

type writerStore struct {
	label    string
	spillDir string // set by Prepare

	mu      sync.Mutex
	w       io.Writer
	pending map[string]*heldPart // by attempt
	ready   map[int]*heldPart    // committed, waiting for those before
	next    int                  // the part to send next
	err     error                // of w
}

func (s *writerStore) name() string { return s.label }
func (s *writerStore) setup() error { return nil }

func (s *writerStore) create(p part) (io.WriteCloser, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := &heldPart{dir: s.spillDir}
	s.pending[p.attempt] = h
	return h, nil
}

func (s *writerStore) commit(p part) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.pending[p.attempt]
	if h == nil {
		return fmt.Errorf("mapreduce: commit of unknown attempt %s", p.attempt)
	}
	delete(s.pending, p.attempt)
	s.ready[p.index] = h
	for h := s.ready[s.next]; h != nil; h = s.ready[s.next] {
		delete(s.ready, s.next)
		s.next++
		if s.err == nil {
			s.err = h.sendTo(s.w)
		}
		s.err = errors.Join(s.err, h.discard())
	}
	return s.err
}

func (s *writerStore) discard(p part) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.pending[p.attempt]
	if h == nil {
		return nil
	}
	delete(s.pending, p.attempt)
	return h.discard()
}

func (s *writerStore) success() error { return s.abort() }

// abort drops all parts that were not sent.
func (s *writerStore) abort() error {
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

// heldPart is a part in memory or, beyond holdLimit, in an unlinked file.
type heldPart struct {
	dir  string
	buf  []byte
	file *os.File
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
		h.file = f
		if err := os.Remove(f.Name()); err != nil {
			return 0, err
		}
		if _, err := f.Write(h.buf); err != nil {
			return 0, err
		}
		h.buf = nil
	}
	return h.file.Write(p)
}

// Close does nothing: the part is still to be sent.
func (h *heldPart) Close() error { return nil }

func (h *heldPart) sendTo(w io.Writer) error {
	if h.file == nil {
		_, err := w.Write(h.buf)
		return err
	}
	if _, err := h.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	_, err := io.Copy(w, h.file)
	return err
}

func (h *heldPart) discard() error {
	h.buf = nil
	if h.file == nil {
		return nil
	}
	return h.file.Close()
}

// memoryStore keeps parts in memory.
type memoryStore struct {
	mu      sync.Mutex
	pending map[string]*bytes.Buffer // by attempt
	parts   [][]byte                 // committed, by task
}

func (m *memoryStore) name() string { return "memory" }
func (m *memoryStore) setup() error { return nil }

func (m *memoryStore) create(p part) (io.WriteCloser, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	b := new(bytes.Buffer)
	if m.pending == nil {
		m.pending = map[string]*bytes.Buffer{}
	}
	m.pending[p.attempt] = b
	return nopCloser{b}, nil
}

func (m *memoryStore) commit(p part) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for len(m.parts) <= p.index {
		m.parts = append(m.parts, nil)
	}
	m.parts[p.index] = m.pending[p.attempt].Bytes()
	delete(m.pending, p.attempt)
	return nil
}

func (m *memoryStore) discard(p part) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.pending, p.attempt)
	return nil
}

func (m *memoryStore) success() error { return nil }

func (m *memoryStore) abort() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.pending, m.parts = nil, nil
	return nil
}

func (m *memoryStore) committedParts() [][]byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.parts
}
