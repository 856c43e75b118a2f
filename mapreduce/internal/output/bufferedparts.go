package output

import (
	"fmt"
	"io"
	"sync"

	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
	"github.com/tarry-mr/tarry/mapreduce/internal/segment"
)

// holdLimit is the maximum bytes in memory of a part that waits for earlier ones; a larger one is
// in a spill.
const holdLimit = 1 << 20

// BufferedStore holds the parts of a job. A Writer gets each one once it and all earlier ones are
// committed; without a Writer they stay in memory, for Collected. The zero value is the latter.
type BufferedStore struct {
	label string
	files *segment.Files // for parts beyond holdLimit; nil: there is no Writer

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
	s := &BufferedStore{label: name, files: segment.NewFiles(""), w: w}
	return Destination{place: place{store: s, stream: s}}
}

// Name implements Store.
func (s *BufferedStore) Name() string {
	if s.files == nil {
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
	h := &heldPart{files: s.files}
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
	for h := s.ready[s.next]; s.files != nil && h != nil && s.err == nil; h = s.ready[s.next] {
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
	if h := s.pending[p.Attempt]; h != nil {
		delete(s.pending, p.Attempt)
		h.discard()
	}
	return nil
}

// Success implements Store.
func (s *BufferedStore) Success() error {
	if s.files != nil {
		return s.Abort()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.whole = true
	return nil
}

// Abort implements Store. It drops all parts that it still holds; without a Writer, another job may
// then use s.
func (s *BufferedStore) Abort() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, h := range s.pending {
		h.discard()
	}
	for _, h := range s.ready {
		h.discard()
	}
	clear(s.pending)
	clear(s.ready)
	s.used, s.whole = s.files != nil, false
	return nil
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
	h.discard()
}

// heldPart is a part that waits until it is written: in memory or, beyond holdLimit, in a spill.
type heldPart struct {
	files *segment.Files // for the spill; nil: the part stays in memory
	buf   []byte
	spill *segment.Spill // nil while the part is in buf
	size  int64          // of the spill
}

// Write implements io.Writer.
func (h *heldPart) Write(p []byte) (n int, err error) {
	if h.spill == nil {
		if h.files == nil || len(h.buf)+len(p) <= holdLimit {
			h.buf = append(h.buf, p...)
			return len(p), nil
		}
		if h.spill, err = h.files.NewSpill(); err != nil {
			return 0, err
		}
		if n, err = h.spill.Write(h.buf); err != nil {
			return 0, err
		}
		h.buf, h.size = nil, int64(n)
	}
	n, err = h.spill.Write(p)
	h.size += int64(n)
	return n, err
}

// Close does nothing, because the part waits for Commit.
func (h *heldPart) Close() error { return nil }

func (h *heldPart) sendTo(w io.Writer) error {
	if h.spill == nil {
		n, err := w.Write(h.buf)
		return wholly(int64(n), int64(len(h.buf)), err)
	}
	n, err := io.Copy(w, io.NewSectionReader(h.spill, 0, h.size))
	return wholly(n, h.size, err)
}

func (h *heldPart) discard() {
	if h.buf = nil; h.spill != nil {
		h.spill.Release()
	}
}
