package output

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

func (s *localStore) Create(p Part) (io.WriteCloser, error) {
	if err := s.ready(); err != nil {
		return nil, err
	}
	if s.temp == nil {
		return nil, ErrUnprepared
	}
	open := func() (*os.File, error) {
		return s.temp.OpenFile(p.Attempt, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	}
	f, err := open()
	if errors.Is(err, fs.ErrExist) {
		if err := s.temp.Remove(p.Attempt); err != nil {
			return nil, err
		}
		f, err = open()
	}
	if err != nil {
		return nil, err
	}
	if s.token != "" {
		return syncedFile{f}, nil
	}
	return f, nil
}

func (s *localStore) Commit(p Part) error {
	return s.out.root.Rename(Temporary+"/"+p.Attempt, p.name)
}

func (s *localStore) Discard(p Part) error {
	temp := s.opened()
	if temp == nil {
		return nil
	}
	for _, err := range []error{temp.Remove(p.Attempt), temp.RemoveAll(p.Attempt + ownDir)} {
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, os.ErrClosed) {
			return err
		}
	}
	return nil
}

// Success marks the output as complete and puts it in the place of an earlier one. The temporary
// files of a resumable output stay until forget.
func (s *localStore) Success() error {
	if err := s.ready(); err != nil {
		return err
	}
	if !s.complete {
		if err := s.out.root.Rename(Temporary+"/"+Success, Success); err != nil {
			return err
		}
		s.complete = true
	}
	if s.token == "" {
		if err := errors.Join(s.temp.Close(), s.out.root.RemoveAll(Temporary)); err != nil {
			return err
		}
	}
	if s.old != nil && s.out.path != s.dir {
		if err := s.change(); err != nil {
			return fmt.Errorf("overwrite: %w", err)
		}
	}
	if s.token == "" {
		s.ended = true
		_ = s.out.release() // the output is complete, so errors do not matter
	}
	return nil
}

// change puts the new output in the place of the earlier one, which it removes. If removing fails,
// the next run does it.
func (s *localStore) change() error {
	made, old := s.out.path, s.beside(".old")
	if err := s.tree.exchange(made, s.dir); err == nil {
		old = made
	} else {
		if err := s.tree.rename(s.dir, old); err != nil {
			return err
		}
		if err := s.tree.rename(made, s.dir); err != nil {
			return errors.Join(err, s.tree.rename(old, s.dir))
		}
	}
	s.out.path, s.old.path = s.dir, old
	_ = s.old.remove()
	s.old = nil
	return nil
}

// Abort removes what the job has written; an earlier output stays.
func (s *localStore) Abort() error {
	return s.end(func() error {
		// Rename the directory before removing it. A kill during the removal could otherwise leave an
		// empty directory under the output's name, which the next run would refuse.
		if aside := s.beside(".new"); s.out.path == s.dir && s.out.inPlace() && s.tree.renameNew(s.dir, aside) == nil {
			s.out.path = aside
		}
		return s.out.remove()
	})
}

// leave unlocks the output's directory and an earlier output's, and removes nothing.
func (s *localStore) leave() error { return s.end(func() error { return s.out.release() }) }

// forget removes the temporary files and unlocks the output, as the last step of success.
func (s *localStore) forget() error {
	return s.end(func() error { return errors.Join(s.out.root.RemoveAll(Temporary), s.out.release()) })
}

// end calls finish, which releases the output's directory, and unlocks an earlier output. Without a
// directory, or after the first end, it does nothing.
func (s *localStore) end(finish func() error) error {
	if s.unmade() || s.out == nil || s.ended {
		return nil
	}
	s.ended = true
	err := errors.Join(s.temp.Close(), finish())
	if s.old != nil {
		err = errors.Join(err, s.old.release())
	}
	return err
}
