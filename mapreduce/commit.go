package mapreduce

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
)

// committer is the output of one plan: it turns attempts into parts, each once.
type committer struct {
	store       store
	compression Compression
	extension   string // of a part's name
	meter       *meter

	mu        sync.Mutex
	committed map[taskID]bool
	routes    map[AttemptID][]part // files of names of attempts that are not committed
	foreign   bool                 // the store is another job's
}

type taskID struct {
	kind  TaskKind
	index int
}

func newCommitter(d Destination) *committer {
	return &committer{
		store: d.store, compression: d.compression, extension: d.extension + d.compression.Extension(),
		meter: d.meter, committed: map[taskID]bool{},
	}
}

// part names the output of an attempt as Hadoop does: part-m-00000 or
// part-r-00000, and the extensions.
func (c *committer) part(id AttemptID) part {
	return part{
		attempt: id.String(), index: id.Index,
		name: fmt.Sprintf("part-%c-%05d%s", id.Kind.String()[0], id.Index, c.extension),
	}
}

func (c *committer) setupJob() error {
	if err := c.store.setup(); err != nil {
		c.foreign = errors.Is(err, ErrDestinationUsed)
		if !c.foreign && !errors.Is(err, ErrOutputExists) {
			err = fmt.Errorf("%w: %w", ErrNoOutput, err)
		}
		return err
	}
	return c.takeIn()
}

func (c *committer) commitTask(id AttemptID) error {
	t := taskID{id.Kind, id.Index}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.committed[t] {
		return fmt.Errorf("%s: %w", id, ErrCommitted)
	}
	routed := len(c.routes[id]) > 0
	if err := c.commitRoutes(id); err != nil {
		return err
	}
	if err := c.keep(c.part(id)); err != nil {
		if routed {
			err = Permanent(err)
		}
		return err
	}
	c.committed[t] = true
	return nil
}

func (c *committer) abortTask(id AttemptID) error {
	return errors.Join(c.discardRoutes(id), c.discard(c.part(id)))
}

func (c *committer) commitJob() error { return c.store.success() }

func (c *committer) abortJob() error {
	if c.foreign {
		return nil
	}
	return c.store.abort()
}

// partWriter is the part of one attempt while it is written. After its first error it
// writes no more.
type partWriter struct {
	file   *strictFile
	packer io.WriteCloser
	buf    []byte
	bytes  int64 // before compression
	err    error
	check  func() error // whether the attempt goes on; nil: it does
}

// open begins the part of an attempt.
func (c *committer) open(id AttemptID) (*partWriter, error) { return c.begin(c.part(id)) }

// begin begins a part.
func (c *committer) begin(p part) (*partWriter, error) {
	f, err := c.create(p)
	if err != nil {
		return nil, err
	}
	return c.writer(f)
}

// writer returns the writer of a part to a file.
func (c *committer) writer(f io.WriteCloser) (*partWriter, error) {
	file := &strictFile{file: f}
	z, err := c.compression.wrap(file)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	w := &partWriter{file: file, packer: z}
	if b, ok := partBuffers.Get().(*[]byte); ok {
		w.buf = *b
	}
	return w, nil
}

// flushSize is how full the buffer of a part gets before it is written, in bytes.
const flushSize = 256 << 10

// partBuffers are empty buffers of parts that were closed, for those that come next: one that grows
// from nothing leaves twice as much garbage as it holds.
var partBuffers sync.Pool

// flush writes the buffer.
func (w *partWriter) flush() {
	if len(w.buf) > 0 && w.goesOn() {
		_, w.err = w.packer.Write(w.buf)
	}
	w.bytes += int64(len(w.buf))
	w.buf = w.buf[:0]
}

// packs reports whether what is written is compressed.
func (w *partWriter) packs() bool {
	_, plain := w.packer.(nopCloser)
	return !plain
}

func (w *partWriter) goesOn() bool {
	if w.err == nil && w.check != nil {
		w.err = w.check()
	}
	return w.err == nil
}

// Write writes p after what is in the buffer.
func (w *partWriter) Write(p []byte) (int, error) {
	w.flush()
	if w.goesOn() {
		_, w.err = w.packer.Write(p)
	}
	w.bytes += int64(len(p))
	return len(p), w.err
}

// close flushes and closes; it returns the first error of all.
func (w *partWriter) close() error {
	w.flush()
	if b := w.buf; 0 < cap(b) && cap(b) <= 2*flushSize {
		partBuffers.Put(&b)
	}
	w.buf = nil
	return cmp.Or(w.err, w.packer.Close(), w.file.Close())
}

// strictFile is a file, maybe of the user's, that is not trusted: what it does not take is
// an error, and so is its panic, which might come in a goroutine of the compressor. The
// first error stays.
type strictFile struct {
	file io.WriteCloser
	err  error
}

// Write implements io.Writer.
func (s *strictFile) Write(p []byte) (n int, err error) {
	if s.err == nil {
		fault.Contained(&s.err, func() error {
			n, err = s.file.Write(p)
			return wholly(int64(n), int64(len(p)), err)
		})
	}
	return n, s.err
}

// Close implements io.Closer.
func (s *strictFile) Close() error {
	var err error
	fault.Contained(&err, s.file.Close)
	return cmp.Or(s.err, err)
}

// wholly is the error of a write that took n of size bytes.
func wholly(n, size int64, err error) error {
	if err == nil && n != size {
		return fmt.Errorf("%w: %d of %d bytes", io.ErrShortWrite, n, size)
	}
	return err
}
