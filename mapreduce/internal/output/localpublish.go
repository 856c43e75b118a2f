package output

import (
	"errors"
	"fmt"
	"io/fs"
)

// Success seals the output and publishes it.
func (s *localStore) Success() error {
	if _, err := s.ready(); err != nil && s.out == nil {
		return err
	}
	if s.out.path != s.dir {
		if err := s.seal(); err != nil {
			return err
		}
		if err := s.publish(); err != nil {
			return err
		}
	}
	if s.token == "" {
		s.ended = true
		_ = s.out.release() // the output is complete, so errors do not matter
	}
	return nil
}

// seal creates _SUCCESS, if a killed run has not done so, and removes the temporary files.
func (s *localStore) seal() error {
	if !s.out.has(Success) {
		err := s.temp.WriteFile(Success, nil, 0o666)
		if err == nil {
			err = s.out.root.Rename(Temporary+"/"+Success, Success)
		}
		if err != nil {
			return err
		}
	}
	return errors.Join(s.temp.Close(), s.out.root.RemoveAll(Temporary))
}

// publish gives the directory the output's name, and removes an earlier output. If removing fails,
// the next run does it.
func (s *localStore) publish() error {
	made, old := s.out.path, s.beside(".old")
	if !s.out.inPlace() {
		return fmt.Errorf("%s: another process has moved it", made)
	}
	if s.old == nil {
		err := s.tree.renameNew(made, s.dir)
		if errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("%s: %w since the job began", s.dir, ErrOutputExists)
		}
		if err == nil {
			s.out.path = s.dir
		}
		return err
	}
	if err := s.tree.renameAs(swap, made, s.dir); err == nil {
		old = made
	} else {
		if err := s.tree.rename(s.dir, old); err != nil {
			return fmt.Errorf("overwrite: %w", err)
		}
		if err := s.tree.rename(made, s.dir); err != nil {
			return fmt.Errorf("overwrite: %w", errors.Join(err, s.tree.rename(old, s.dir)))
		}
	}
	s.out.path, s.old.path = s.dir, old
	_ = s.old.remove()
	s.old = nil
	return nil
}

// heal undoes half a publish: on systems without exchange, a killed run may have moved the earlier
// output away. If the new output has its name already, the earlier one is removed.
func (s *localStore) heal() error {
	old, err := openOutputDir(s.tree, s.beside(".old"))
	if err != nil {
		return nil //nolint:nilerr // it does not exist
	}
	if !old.take() {
		return s.busy()
	}
	if !old.leftBehind() {
		return old.release()
	}
	if _, err := s.tree.lstat(s.dir); errors.Is(err, fs.ErrNotExist) {
		return errors.Join(s.tree.rename(old.path, s.dir), old.release())
	}
	return old.remove()
}

// Abort removes what the job has written; an earlier output stays.
func (s *localStore) Abort() error {
	return s.end(func() error {
		// A published output gets another name before it is removed: a kill during the removal must not
		// leave a part of it.
		if aside := s.beside(".new"); s.out.path == s.dir && s.out.inPlace() && s.tree.renameNew(s.dir, aside) == nil {
			s.out.path = aside
		}
		return s.out.remove()
	})
}

// leave unlocks the output, and removes nothing.
func (s *localStore) leave() error { return s.end(func() error { return s.out.release() }) }

// forget ends the job of a published output: no run can continue it any more.
func (s *localStore) forget() error {
	return s.end(func() error { return errors.Join(s.out.root.RemoveAll(resumeMark), s.out.release()) })
}

// end calls finish, which releases the output's directory, and unlocks an earlier output. After the
// first end, or without a directory, it does nothing. No late attempt creates the directory then.
func (s *localStore) end(finish func() error) (err error) {
	s.mu.Lock()
	s.waits = false
	s.mu.Unlock()
	if s.out == nil || s.ended {
		return nil
	}
	s.ended = true
	if s.temp != nil {
		err = s.temp.Close()
	}
	err = errors.Join(err, finish())
	if s.old != nil {
		err = errors.Join(err, s.old.release())
	}
	return err
}
