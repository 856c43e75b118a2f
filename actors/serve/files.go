package serve

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/tarry-mr/tarry/dfs"
)

// remember writes an entry about stored or removed files to disk.
func (s *Server) remember(e *entry) error {
	s.writing.RLock()
	defer s.writing.RUnlock()
	if err := s.memory.write(e); err != nil {
		return busy("no-state", "the file cannot be remembered: %v", err)
	}
	s.catalog.note(e, "")
	return nil
}

// snapshot returns the jobs, files and outputs that must survive the process.
func (s *Server) snapshot() *snapshot {
	all := s.jobs.snapshot()
	all.stored = s.catalog.copied()
	return all
}

// checkFiles compares the files on disk with the recorded ones, by name and size, and adds missing
// ones; contents are verified when they are read. A file without a record comes from an upload, or
// removal, that was never acknowledged: it is complete and is kept.
func (s *Server) checkFiles(there map[string]string) (err error) {
	sums := s.catalog.Files
	for name, file := range there {
		if sums[name] != nil {
			continue
		}
		if sums[name], err = sumsOf(file); err != nil {
			return err
		}
	}
	for name, want := range sums {
		file := s.memory.stored(name)
		info, err := os.Stat(file)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			s.cfg.Log.Error("a stored file is missing", "file", file)
		case err != nil:
			return err
		case info.Size() != want.Size:
			s.cfg.Log.Error("a stored file is damaged", "file", file, "bytes", info.Size(), "want", want.Size)
		}
		there[name] = file
	}
	return nil
}

// sumsOf returns the checksums of a file on this machine.
func sumsOf(file string) (*dfs.Sums, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	sums := new(dfs.Sums)
	_, err = io.Copy(sums, f)
	return sums, errors.Join(err, f.Close())
}

// checkWhole verifies a stored file from start to end, once per process, before its first download:
// once the answer has begun, no error can be reported.
func (c *catalog) checkWhole(name string, content io.ReaderAt) error {
	c.mu.Lock()
	sums := c.Files[name]
	sound := c.sound[name]
	c.mu.Unlock()
	if sums == nil || sound {
		return nil
	}
	if _, err := io.Copy(io.Discard, io.NewSectionReader(content, 0, sums.Size)); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.Files[name] == sums { // it was not removed meanwhile
		c.sound[name] = true
	}
	return nil
}

// discard removes a file or directory of the block store from the disk atomically.
func (m *memory) discard(name string) error {
	if m == nil {
		return nil
	}
	parts := filepath.Join(m.dir, partDir)
	if err := os.MkdirAll(parts, 0o700); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(parts, "removed-")
	if err != nil {
		return err
	}
	err = os.Rename(m.stored(name), filepath.Join(dir, "it"))
	switch {
	case err == nil:
		err = syncDir(filepath.Dir(m.stored(name))) // or the next process would restore it
	case errors.Is(err, fs.ErrNotExist):
		err = nil // it was missing already
	}
	return errors.Join(err, os.RemoveAll(dir))
}
