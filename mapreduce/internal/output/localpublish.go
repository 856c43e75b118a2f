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
	return errors.Join(s.temp.Close(), s.out.removeTemporary())
}

// publish gives the directory the output's name. It swaps an earlier output with it in one step and
// then removes that; if removing fails, the next run does it. Where the system cannot swap, the
// earlier output is called _NAME.old meanwhile, and after a kill in between.
func (s *localStore) publish() error {
	made, old, aside := s.out.path, s.old, s.beside(".old")
	for _, d := range []*outputDir{s.out, old} {
		if d != nil && !d.inPlace() {
			return fmt.Errorf("%s: another process has moved it", d.path)
		}
	}
	if old != nil && s.tree.swap(made, s.dir) == nil {
		aside = made
	} else {
		if old != nil {
			if err := s.tree.rename(s.dir, aside); err != nil {
				return fmt.Errorf("overwrite: %w", err)
			}
		}
		err := s.tree.rename(made, s.dir)
		switch {
		case err != nil && old != nil:
			return fmt.Errorf("overwrite: %w", errors.Join(err, s.tree.rename(aside, s.dir)))
		case errors.Is(err, fs.ErrExist):
			return fmt.Errorf("%s: %w since the job began", s.dir, ErrOutputExists)
		case err != nil:
			return err
		}
	}
	s.out.path, s.old = s.dir, nil
	if old != nil {
		old.path = aside
		_ = old.remove()
	}
	return nil
}

// Abort removes what the job has written; an earlier output stays.
func (s *localStore) Abort() error {
	return s.end(func() error {
		// A published output gets another name before it is removed: a kill during the removal must
		// not leave a part of it.
		if aside := s.beside(".new"); s.out.path == s.dir && s.out.inPlace() && s.tree.rename(s.dir, aside) == nil {
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
