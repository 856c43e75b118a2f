package serve

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tarry-mr/tarry/dfs"
)

// jobInputs is the directory of the block store with the blocks of jobs' inputs.
const jobInputs = "_jobs"

// checkStored rejects invalid names for files of the block store.
func checkStored(name string) error {
	switch {
	case !fs.ValidPath(name) || name == ".":
		return refuse("bad-name", "%q: want names with slashes between, without . or .., nor a slash at either end", name)
	case strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f || r == '\\' }):
		return refuse("bad-name", "%q: control characters and backslashes make no names", name)
	case len(name) > 1000:
		return refuse("bad-name", "a name of %d bytes; at most 1000", len(name))
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == jobInputs || part == "_temporary" || len(part) > 200 {
			return refuse("bad-name", "%.200q: that name is not to be had", part)
		}
	}
	return nil
}

// checkNew rejects a name for a new file of the block store if it is invalid, or if one of its
// parents is a file or the finished output of a job, all files of which readers take for results.
func (s *Server) checkNew(name string) error {
	if err := checkStored(name); err != nil {
		return err
	}
	for at := path.Dir(name); at != "."; at = path.Dir(at) {
		if info, err := s.cluster.FS().Stat(at); err == nil && !info.IsDir() {
			return refuse("bad-name", "%s%s: %s%s is a file", inStore, name, inStore, at)
		}
		if _, err := s.cluster.FS().Stat(path.Join(at, "_SUCCESS")); err == nil {
			return refuse("exists", "%s%s: %s%s is the finished output of a job", inStore, name, inStore, at)
		}
	}
	return nil
}

// checkLabel rejects names of users, pools and queues that would make pages, logs and metrics
// unreadable.
func checkLabel(what, name string) error {
	if len(name) > 200 || !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl) {
		return refuse("bad-name", "%s %.60q: want at most 200 bytes of UTF-8 without control characters", what, name)
	}
	return nil
}

// put writes a file to the block store and returns its size. With a State it survives a crash when
// put returns.
func (s *Server) put(name string, f *upload) (size int64, err error) {
	if err := cmp.Or(checkStored(name), s.checkPlace(name)); err != nil {
		return 0, err
	}
	defer f.claim.end()
	part, err := os.CreateTemp(filepath.Join(s.ledger.dir, partDir), "put-")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, os.Remove(part.Name())) }()
	sums := new(dfs.Sums)
	_, err = io.Copy(io.MultiWriter(part, sums), f)
	if err == nil && s.ledger.durable() {
		err = part.Sync()
	}
	if err = errors.Join(err, part.Close()); err != nil {
		return 0, err
	}
	to := s.ledger.stored(name)
	if err := s.link(part.Name(), name, to); err != nil {
		return 0, err
	}
	stored := map[string]*dfs.Sums{name: sums}
	err = s.ledger.syncDir(filepath.Dir(to))
	if err == nil {
		err = s.ledger.record(&entry{Stored: stored, claim: &f.claim})
	}
	if err != nil {
		return 0, errors.Join(err, os.Remove(to))
	}
	return sums.Size, s.register(stored)
}

// link gives an uploaded file its name, unless a job has taken the place during the upload.
func (s *Server) link(part, name, to string) error {
	s.placing.Lock()
	defer s.placing.Unlock()
	if err := s.checkPlace(name); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	return os.Link(part, to) // never replaces a file
}

// syncDir makes the names of new and removed files of a directory survive a crash, with a State.
func (l *ledger) syncDir(dir string) error {
	if !l.durable() {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// register adds files on disk to the block store, and logs missing and damaged ones. With a State,
// checksums verify each read, and reads of a missing file fail.
func (s *Server) register(files map[string]*dfs.Sums) error {
	var names []string
	var list []dfs.Source
	for name, sums := range files {
		file := s.ledger.stored(name)
		var src dfs.Source
		src, err := dfs.OpenLocal(file)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			s.cfg.Log.Error("a stored file is missing", "file", file)
			src, err = dfs.Bytes(file, nil), nil
		case err == nil && src.Size() != sums.Size:
			s.cfg.Log.Error("a stored file is damaged", "file", file, "bytes", src.Size(), "want", sums.Size)
		}
		if err == nil && s.ledger.durable() { // it may be damaged while no server runs
			src, err = dfs.Checked(src, sums)
		}
		if err != nil {
			return err
		}
		names, list = append(names, name), append(list, src)
	}
	if len(names) == 0 {
		return nil
	}
	return s.cluster.FS().RegisterAll(names, list, 0)
}

// publish registers the output of a job as files of the block store, if it belongs there. The job's
// end records them.
func (s *Server) publish(j *job) error {
	dir, is := strings.CutPrefix(j.order.Output, inStore)
	if !is {
		return nil
	}
	if _, err := s.cluster.FS().Stat(dir); err == nil {
		return nil // registered when the server started
	}
	stored, err := s.ledger.sumsBelow(dir, func(string) bool { return false })
	if err != nil {
		return err
	}
	j.stored = stored
	return s.register(stored)
}

// sumsBelow returns the checksums of the files on disk below a directory of the block store, except
// files and directories for which skip returns true.
func (l *ledger) sumsBelow(dir string, skip func(name string) bool) (map[string]*dfs.Sums, error) {
	files, disk := map[string]*dfs.Sums{}, os.DirFS(l.stored("."))
	err := fs.WalkDir(disk, dir, func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case skip(name) && e.IsDir():
			return fs.SkipDir
		case !skip(name) && e.Type().IsRegular():
			var f fs.File
			if f, err = disk.Open(name); err == nil {
				files[name] = new(dfs.Sums)
				_, err = io.Copy(files[name], f)
				err = errors.Join(err, f.Close())
			}
		}
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return files, err
}

// loadStore registers the files that an earlier process has left, except outputs of unfinished
// jobs. A file that is not in the ledger comes from an upload, or removal, that was never
// acknowledged: it is complete and is kept. Contents are verified when they are read.
func (s *Server) loadStore() error {
	l := s.ledger
	home, parts := l.stored("."), filepath.Join(l.dir, partDir)
	if err := errors.Join(os.RemoveAll(parts), os.MkdirAll(parts, 0o700), os.MkdirAll(home, 0o700)); err != nil {
		return err
	}
	writing := map[string]bool{}
	for target := range l.targets {
		writing[target] = true
		writing[filepath.Join(filepath.Dir(target), "_"+filepath.Base(target)+".new")] = true // until its end
	}
	found, err := l.sumsBelow(".", func(name string) bool { return writing[l.stored(name)] || l.files[name] != nil })
	maps.Copy(l.files, found)
	l.bytes = 0
	for _, sums := range l.files {
		l.bytes += sums.Size
	}
	if err == nil {
		err = s.register(l.files)
	}
	if err != nil {
		return fmt.Errorf("serve: %s: %w", home, err)
	}
	return nil
}

// remove removes a file or directory of the block store, unless a job writes there.
func (s *Server) remove(name string) error {
	if err := checkStored(name); err != nil {
		return err
	}
	if j := s.ledger.writer(name); j != nil {
		return refuse("in-use", "job %d writes %s", j.ID, name)
	}
	if _, err := s.cluster.FS().Stat(name); err != nil {
		return err
	}
	if err := s.ledger.record(&entry{Removed: name}); err != nil {
		return err
	}
	return errors.Join(s.cluster.FS().Remove(name), s.ledger.discard(name))
}
