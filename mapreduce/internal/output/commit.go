package output

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/tarry-mr/tarry/mapreduce/internal/attempt"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
	"github.com/tarry-mr/tarry/mapreduce/internal/segment"
)

// Committer writes the output of one plan: a part for each task, by its first successful attempt.
type Committer struct {
	place
	compression Compression
	extension   string // of a part's name
	meter       *meter

	mu        sync.Mutex
	committed map[taskID]bool
	routes    map[attempt.ID][]Part // files for names (Routes) of uncommitted attempts
	foreign   bool                  // the store belongs to another job
}

type taskID struct {
	kind  attempt.Kind
	index int
}

// NewCommitter returns a Committer that writes to d.
func NewCommitter(d Destination) *Committer {
	return &Committer{
		place: d.place, compression: d.compression, extension: d.extension + d.compression.Extension(),
		meter: d.meter, committed: map[taskID]bool{},
	}
}

// Name returns the output's name for messages.
func (c *Committer) Name() string { return c.store.Name() }

// SpillTo sets the directory for parts of a Writer that wait for earlier ones.
func (c *Committer) SpillTo(dir string) {
	if c.stream != nil {
		c.stream.files = segment.NewFiles(dir)
	}
}

// Memory returns the memory in bytes that compressing one part needs.
func (c *Committer) Memory() int64 { return c.compression.memory() }

// Part returns the part of an attempt, named as in Hadoop: part-m-00000 or part-r-00000, and the
// extensions.
func (c *Committer) Part(id attempt.ID) Part {
	return Part{Attempt: id.String(), Index: id.Index, name: c.fileName("part", taskID{id.Kind, id.Index})}
}

// fileName returns the name of a task's file, such as part-r-00003.gz.
func (c *Committer) fileName(base string, t taskID) string {
	return fmt.Sprintf("%s-%c-%05d%s", base, t.kind.String()[0], t.index, c.extension)
}

// SetupJob creates the output's directory, or continues the resumable output of a killed run.
func (c *Committer) SetupJob() error {
	if err := c.store.Setup(); err != nil {
		c.foreign = errors.Is(err, ErrDestinationUsed)
		if !c.foreign && !errors.Is(err, ErrOutputExists) {
			err = fmt.Errorf("%w: %w", ErrNoOutput, err)
		}
		return err
	}
	return c.takeIn(true)
}

// CommitTask makes the attempt's part the task's output. If another attempt was first, it returns
// ErrCommitted.
func (c *Committer) CommitTask(id attempt.ID) error {
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
	if err := c.keep(c.Part(id)); err != nil {
		if routed {
			err = fault.Permanent(err)
		}
		return err
	}
	c.committed[t] = true
	return nil
}

// AbortTask removes the files of an attempt, unless it was committed.
func (c *Committer) AbortTask(id attempt.ID) error {
	return errors.Join(c.discardRoutes(id), c.discard(c.Part(id)))
}

// Note writes a file called name beside the parts, by calling write. It returns false if the output
// is no directory.
func (c *Committer) Note(name string, write func(w io.Writer) error) (kept bool, err error) {
	if !c.inDirectory() {
		return false, nil
	}
	to := Part{Attempt: "note", name: name}
	f, err := c.file(to, c.store.Create)
	if err != nil {
		return false, err
	}
	if err = cmp.Or(write(f), f.Close()); err != nil {
		return false, err
	}
	return true, c.keep(to)
}

// CommitJob marks the output as complete.
func (c *Committer) CommitJob() error { return c.store.Success() }

// AbortJob removes the output, unless it belongs to another job.
func (c *Committer) AbortJob() error {
	if c.foreign {
		return nil
	}
	return c.store.Abort()
}

// PartWriter writes the part of one attempt. After its first error it writes nothing more.
type PartWriter struct {
	file   *strictFile
	packer io.WriteCloser
	Buf    []byte
	Bytes  int64 // written so far, before compression
	Err    error
	Check  func() error // returns an error if the attempt must end; may be nil
}

// Open returns the writer of an attempt's part.
func (c *Committer) Open(id attempt.ID) (*PartWriter, error) { return c.Begin(c.Part(id)) }

// Begin returns the writer of part p.
func (c *Committer) Begin(p Part) (*PartWriter, error) { return c.writer(p, c.store.Create) }

// writer returns a PartWriter that compresses, if the destination says so, into the file that open
// opens for part p.
func (c *Committer) writer(p Part, open func(Part) (io.WriteCloser, error)) (*PartWriter, error) {
	file, err := c.file(p, open)
	if err != nil {
		return nil, err
	}
	z, err := Compress(file, c.compression)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	w := &PartWriter{file: file, packer: z}
	if b, ok := partBuffers.Get().(*[]byte); ok {
		w.Buf = *b
	}
	return w, nil
}

// FlushSize is the number of bytes in Buf at which users of a PartWriter must call Flush.
const FlushSize = 256 << 10

// DirectSize is the minimum size of a record that is written without a copy in Buf.
const DirectSize = 32 << 10

// partBuffers reuses buffers of closed parts: growing a new one leaves twice its size as garbage.
var partBuffers sync.Pool

// Flush writes Buf to the file, compressed if the destination says so, and empties it.
func (w *PartWriter) Flush() {
	if len(w.Buf) > 0 && w.goesOn() {
		_, w.Err = w.packer.Write(w.Buf)
	}
	w.Bytes += int64(len(w.Buf))
	w.Buf = w.Buf[:0]
}

func (w *PartWriter) goesOn() bool {
	if w.Err == nil && w.Check != nil {
		w.Err = w.Check()
	}
	return w.Err == nil
}

// Write writes the buffer and then p.
func (w *PartWriter) Write(p []byte) (int, error) {
	w.Flush()
	if w.goesOn() {
		_, w.Err = w.packer.Write(p)
	}
	w.Bytes += int64(len(p))
	return len(p), w.Err
}

// Close flushes and closes the part, and returns its first error.
func (w *PartWriter) Close() error {
	w.Flush()
	if b := w.Buf; 0 < cap(b) && cap(b) <= 2*FlushSize {
		partBuffers.Put(&b)
	}
	w.Buf = nil
	return cmp.Or(w.Err, w.packer.Close(), w.file.Close())
}

// strictFile writes to an attempt's file, which may be user code, and counts its bytes by meter. It
// makes short writes and panics errors, since a panic in a goroutine of the compressor would end
// the process. The first error stays.
type strictFile struct {
	file  io.WriteCloser
	part  Part
	meter *meter
	err   error
}

// file returns the file that open opens for part p.
func (c *Committer) file(p Part, open func(Part) (io.WriteCloser, error)) (*strictFile, error) {
	f, err := open(p)
	return &strictFile{file: f, part: p, meter: c.meter}, err
}

// Write implements io.Writer.
func (s *strictFile) Write(p []byte) (n int, err error) {
	if s.err == nil {
		s.err = s.meter.add(s.part, int64(len(p)))
	}
	if s.err == nil {
		fault.Contained(&s.err, func() error {
			n, err = s.file.Write(p)
			return wholly(int64(n), int64(len(p)), err)
		})
	}
	return n, s.err
}

// Close implements io.Closer.
func (s *strictFile) Close() (err error) {
	fault.Contained(&err, s.file.Close)
	return cmp.Or(s.err, err)
}

// wholly returns an error if a write stored only n of size bytes.
func wholly(n, size int64, err error) error {
	if err == nil && n != size {
		return fmt.Errorf("%w: %d of %d bytes", io.ErrShortWrite, n, size)
	}
	return err
}
