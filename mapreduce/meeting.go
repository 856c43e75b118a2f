package mapreduce

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"

	"github.com/tarry-mr/tarry/stores"
)

// meetingStore is a store in whose output processes meet: one sets it up, others join it and write
// parts, the first commits them.
type meetingStore interface {
	store
	// meeting is, after setup, where the others find the output.
	meeting() (where string, err error)
	join(l *Layout) error
	quit() error // of who has joined
	keep(name string, data []byte) (where string, err error)
}

func (s *localStore) meeting() (string, error) {
	if s.out == nil {
		return "", errUnprepared
	}
	return filepath.Abs(s.out.path)
}

// join opens the directory of a Layout, in which another process has set up the output.
func (s *localStore) join(l *Layout) (err error) {
	if s.out, err = openOutputDir(s.tree, l.Output); err != nil {
		return fmt.Errorf("the output of the process that submitted the job: %w", err)
	}
	if s.temp, err = s.out.root.OpenRoot(temporary); err != nil {
		return errors.Join(fmt.Errorf("the output of the process that submitted the job: %w", err), s.out.release())
	}
	if l.Synced {
		s.token = cmp.Or(s.token, "-")
	}
	s.begun = s.out.path
	return nil
}

func (s *localStore) quit() error {
	if s.temp == nil {
		return nil
	}
	return errors.Join(s.temp.Close(), s.out.release())
}

func (s *localStore) keep(name string, data []byte) (string, error) {
	if s.temp == nil {
		return "", errUnprepared
	}
	f, err := s.temp.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return "", err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err != nil {
		return "", err
	}
	return filepath.Abs(filepath.Join(s.out.path, temporary, name))
}

func (s *remoteStore) meeting() (string, error) {
	if !s.owned {
		return "", errUnprepared
	}
	return s.url, nil
}

func (s *remoteStore) join(l *Layout) error {
	if l.Output != s.url {
		return Permanent(fmt.Errorf("the output is %s here, and %s where the job was submitted", s.url, l.Output))
	}
	return s.open()
}

func (s *remoteStore) quit() error { return nil }

func (s *remoteStore) keep(name string, data []byte) (string, error) {
	if !s.owned {
		return "", errUnprepared
	}
	within := path.Join(temporary, name)
	if err := stores.WriteFile(s.fs, path.Join(s.dir, within), data); err != nil {
		return "", s.named(err)
	}
	return s.url + "/" + within, nil
}
