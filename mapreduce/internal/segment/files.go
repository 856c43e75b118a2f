package segment

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
)

const (
	// maxFiles is the number of files that all spills of a [Files] share: enough that writers
	// seldom wait for each other, and few enough for a small limit of open files.
	maxFiles = 8
	// extentSize is the unit in bytes by which a spill grows.
	extentSize = 256 << 10
)

// Files stores the spills of any number of attempts in at most 8 temporary files in a directory,
// open while they contain spills. If the system allows it, a file's name is removed as soon as it
// is open, so that the files vanish with the process.
//
// All methods are safe for concurrent use.
type Files struct {
	open  func() (File, error)
	mu    sync.Mutex
	files [maxFiles]*extentFile
	made  uint64 // number of spills created
}

// File is a temporary file for spills: it vanishes when it is closed.
type File interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
}

// extentFile is one temporary file, divided into extents that spills use and free. Its fields
// except f are guarded by the mutex of its Files.
type extentFile struct {
	f      File
	spills int
	free   []uint32
	end    uint32 // number of extents so far
}

// NewFiles returns a Files with files in dir; empty means os.TempDir. It needs no Close: releasing
// the last spill of a file removes the file.
func NewFiles(dir string) *Files {
	return NewFilesOn(func() (File, error) { return openTemporary(dir) })
}

// NewFilesOn returns a Files that gets its files from open, which one goroutine at a time calls.
func NewFilesOn(open func() (File, error)) *Files { return &Files{open: open} }

// NewSpill returns an empty spill in one of the files, or in a file of its own if s is nil. The
// caller must release it.
func (s *Files) NewSpill() (*Spill, error) {
	if s == nil {
		s = NewFiles("")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	at := &s.files[s.made%maxFiles]
	if *at == nil {
		f, err := s.open()
		if err != nil {
			return nil, err
		}
		*at = &extentFile{f: f}
	}
	s.made++
	(*at).spills++
	x := &Spill{files: s, file: *at, id: s.made}
	x.refs.Store(1)
	return x, nil
}

// temporary is a file that is removed when it is closed, on systems that cannot remove it earlier.
type temporary struct {
	*os.File
	name string // path of the file
}

func openTemporary(dir string) (File, error) {
	f, err := os.CreateTemp(dir, "spill-*")
	if err != nil {
		return nil, fmt.Errorf("segment: creating a spill file: %w", err)
	}
	if os.Remove(f.Name()) == nil {
		return f, nil
	}
	return temporary{f, f.Name()}, nil
}

func (t temporary) Close() error { return errors.Join(t.File.Close(), os.Remove(t.name)) }

// grow returns the number of an unused extent of f, for a spill.
func (s *Files) grow(f *extentFile) uint32 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if last := len(f.free) - 1; last >= 0 {
		x := f.free[last]
		f.free = f.free[:last]
		return x
	}
	f.end++
	return f.end - 1
}

// remove frees a spill's extents, and closes the file with its last spill.
func (s *Files) remove(x *Spill) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := x.file
	f.free = append(f.free, x.extents...)
	if f.spills--; f.spills > 0 {
		return
	}
	for i := range s.files {
		if s.files[i] == f {
			s.files[i] = nil
		}
	}
	// A file without spills is not needed any more; a leftover only costs space.
	_ = f.f.Close()
}

// Spill is what an attempt wrote to disk at one time: a sorted section per partition, or any bytes
// with [Spill.Write] and [Spill.ReadAt], which have no checksums: readers must verify them. It is
// in extents of a file, which are freed when the last segment or reader releases it.
type Spill struct {
	files    *Files
	file     *extentFile
	id       uint64 // unique in files
	extents  []uint32
	size     int64
	sections []section
	ordinals bool // each record is preceded by its run's ordinal
	refs     atomic.Int64
}

// section says where a spill has one sorted run, and its sizes. A job has one for each spill and
// reduce, so it is small.
type section struct {
	off, size      int64  // in the spill
	records, bytes int64  // bytes of keys and values
	raw, packed    uint32 // sizes of its largest block, for a reader's buffers
	seed           uint64 // of its checksums: names the spill and the section, even where it is imported
}

// seed returns the seed of the section that is added next.
func (s *Spill) seed() uint64 { return s.id | uint64(len(s.sections))<<40 }

// Release gives up one reference to the spill; the last one frees its bytes.
func (s *Spill) Release() {
	if s.refs.Add(-1) == 0 {
		s.files.remove(s)
	}
}

// Write appends p to the spill.
func (s *Spill) Write(p []byte) (n int, err error) { return s.writeAt(p, s.size) }

// writeAt writes p at offset off of the spill. Bytes between the end of the spill and off are
// undefined until they are written.
func (s *Spill) writeAt(p []byte, off int64) (n int, err error) {
	for int64(len(s.extents))*extentSize < off+int64(len(p)) {
		s.extents = append(s.extents, s.files.grow(s.file))
	}
	for len(p) > 0 && err == nil {
		var k int
		part := p[:min(int64(len(p)), extentSize-off%extentSize)]
		k, err = s.file.f.WriteAt(part, s.place(off))
		n, off, p = n+k, off+int64(k), p[k:]
		s.size = max(s.size, off)
	}
	return n, err
}

// ReadAt implements io.ReaderAt.
func (s *Spill) ReadAt(p []byte, off int64) (n int, err error) {
	for len(p) > 0 && err == nil {
		if off >= s.size {
			return n, io.EOF
		}
		var k int
		part := p[:min(int64(len(p)), extentSize-off%extentSize)]
		k, err = s.file.f.ReadAt(part, s.place(off))
		n, off, p = n+k, off+int64(k), p[k:]
	}
	return n, err
}

// place returns where in the file byte off of the spill is.
func (s *Spill) place(off int64) int64 {
	return int64(s.extents[off/extentSize])*extentSize + off%extentSize
}
