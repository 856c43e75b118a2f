package output

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"sync"

	"github.com/tarry-mr/tarry/dfs/stores"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
)

// dirStore is an output in a directory of a store, such as hdfs://, s3:// or a dfs. A part is
// invisible until its commit, which needs only its receipt: another process may have written it.
type dirStore struct {
	url     string // in a dfs: dir as its user wrote it
	replace bool

	mu        sync.Mutex
	fs        stores.Store // nil until opened
	dir       string
	parts     map[string]*storedPart // by attempt, until their commit
	lateParts []func() error         // of an output that replaces another one: Success completes them
	owned     bool                   // set up here: Abort may remove it
	replaces  bool                   // it replaces an earlier output
	cleared   bool                   // the earlier output is removed
	ended     bool
}

// storedPart is the file of an attempt, in this process or another. Its Close keeps the receipt,
// with which any process can complete it.
type storedPart struct {
	store   *dirStore
	file    stores.Part // nil if another process wrote it
	receipt string
}

// setupFile exists while a job writes the output. The process that created it owns the output.
const setupFile = Temporary + "/setup"

func (s *dirStore) Name() string { return s.url }

// open connects to the store, once.
func (s *dirStore) open() (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fs != nil {
		return nil
	}
	s.fs, s.dir, err = stores.Open(s.url)
	if err == nil && s.dir == "." {
		s.fs, err = nil, fmt.Errorf("%s: %w: the whole of it; an output is a directory", s.url, ErrOutputExists)
	}
	return err
}

// check returns the error that Setup would return, and changes nothing.
func (s *dirStore) check() error {
	if err := s.open(); err != nil {
		return err
	}
	_, err := s.find()
	return err
}

// find reports whether there is an earlier output, or returns why it must not be replaced.
func (s *dirStore) find() (there bool, err error) {
	list, err := s.fs.ReadDir(s.dir)
	if err != nil || len(list) == 0 {
		info, bad := s.fs.Stat(s.dir)
		switch {
		case errors.Is(bad, fs.ErrNotExist):
			return false, nil
		case bad != nil:
			err = bad
		case !info.IsDir(): // a file: an output that exists
			err = nil
		}
	}
	if err != nil {
		return false, s.named(err)
	}
	switch stranger := strangerIn(list); {
	case slices.ContainsFunc(list, func(e fs.DirEntry) bool { return e.Name() == Temporary }):
		return true, fmt.Errorf("%s: %w: unfinished; %w, or one was killed, and then remove it", s.url, ErrOutputExists, ErrOutputBusy)
	case !s.replace:
		return true, fmt.Errorf("%s: %w", s.url, ErrOutputExists)
	case stranger != "":
		return true, fmt.Errorf("%s: %w: it holds %s, which is not the output of a job; not overwritten", s.url, ErrOutputExists, stranger)
	}
	return true, nil
}

// named adds the store's name to an error, if there is one.
func (s *dirStore) named(err error) error {
	if err == nil || !stores.Named(s.url) {
		return err
	}
	root, _ := stores.Split(s.url)
	return fault.InStore(root, err)
}

func (s *dirStore) Setup() error {
	if err := s.open(); err != nil {
		return err
	}
	there, err := s.find()
	if err != nil {
		return err
	}
	who, _ := os.Hostname() // information for users who find the file
	err = s.fs.CreateNew(path.Join(s.dir, setupFile), fmt.Appendf(nil, "process %d of %s\n", os.Getpid(), who))
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s: %w: %w", s.url, ErrOutputExists, ErrOutputBusy)
	}
	if err != nil {
		return s.named(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.owned, s.replaces = true, there
	return nil
}

func (s *dirStore) Create(p Part) (io.WriteCloser, error) {
	s.mu.Lock()
	fsys, ended := s.fs, s.ended
	s.mu.Unlock()
	switch {
	case ended:
		return nil, ErrEnded
	case fsys == nil:
		return nil, ErrUnprepared
	}
	if err := s.Discard(p); err != nil { // left from an earlier call
		return nil, err
	}
	file, err := fsys.Begin(path.Join(s.dir, p.name), p.Attempt)
	if err != nil {
		return nil, s.named(err)
	}
	r := &storedPart{store: s, file: file}
	s.put(p.Attempt, r)
	return r, nil
}

// Write implements io.Writer.
func (r *storedPart) Write(p []byte) (int, error) {
	n, err := r.file.Write(p)
	return n, r.store.named(err)
}

// Close implements io.Closer.
func (r *storedPart) Close() error {
	if err := r.file.Close(); err != nil {
		return r.store.named(err)
	}
	r.store.mu.Lock()
	defer r.store.mu.Unlock()
	r.receipt = r.file.Receipt()
	return nil
}

// receiptOf returns the receipt with which any process can complete an attempt's part.
func (s *dirStore) receiptOf(attempt string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := s.parts[attempt]; r != nil {
		return r.receipt
	}
	return ""
}

// put notes the file of an attempt. If another process wrote it, its receipt suffices for Commit.
func (s *dirStore) put(attempt string, r *storedPart) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.parts == nil {
		s.parts = map[string]*storedPart{}
	}
	s.parts[attempt] = r
}

func (s *dirStore) Commit(p Part) error {
	s.mu.Lock()
	if s.ended {
		s.mu.Unlock()
		return ErrEnded
	}
	r := s.parts[p.Attempt]
	if r == nil || r.receipt == "" {
		s.mu.Unlock()
		return fmt.Errorf("%s: nobody says how the part of %s is completed", s.url, p.Attempt)
	}
	complete := func() error { return s.named(s.fs.Complete(path.Join(s.dir, p.name), r.receipt)) }
	if s.replaces {
		s.lateParts = append(s.lateParts, complete)
		delete(s.parts, p.Attempt)
		s.mu.Unlock()
		return nil
	}
	s.mu.Unlock()
	if err := complete(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.parts, p.Attempt)
	return nil
}

func (s *dirStore) Discard(p Part) error {
	s.mu.Lock()
	r := s.parts[p.Attempt]
	delete(s.parts, p.Attempt)
	s.mu.Unlock()
	if r == nil || r.file == nil {
		return nil
	}
	return s.named(r.file.Abort())
}

func (s *dirStore) Success() error {
	if s.replaces {
		if err := s.clear(); err != nil {
			return fmt.Errorf("overwrite: %w", s.named(err))
		}
		for _, complete := range s.lateParts {
			if err := complete(); err != nil {
				return err
			}
		}
	}
	err := s.tidy()
	if err == nil {
		err = stores.WriteFile(s.fs, path.Join(s.dir, Success), nil)
	}
	if err != nil {
		return s.named(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	return nil
}

// clear removes the earlier output, first its _SUCCESS.
func (s *dirStore) clear() error {
	if err := s.fs.RemoveAll(path.Join(s.dir, Success)); err != nil {
		return err
	}
	s.cleared = true
	list, err := s.fs.ReadDir(s.dir)
	for _, e := range list {
		if e.Name() != Temporary {
			err = cmp.Or(err, s.fs.RemoveAll(path.Join(s.dir, e.Name())))
		}
	}
	return err
}

// tidy removes the temporary files, and parts that any process has begun and not completed.
func (s *dirStore) tidy() error {
	return errors.Join(s.fs.AbandonAll(s.dir), s.fs.RemoveAll(path.Join(s.dir, Temporary)))
}

// Abort removes what the job has written; an earlier output stays.
func (s *dirStore) Abort() error {
	s.mu.Lock()
	owned := s.owned && !s.ended
	s.ended = true
	s.mu.Unlock()
	if !owned {
		return nil
	}
	err := s.tidy()
	if !s.replaces || s.cleared {
		err = errors.Join(err, s.fs.RemoveAll(s.dir))
	}
	return s.named(err)
}
