package output

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"

	"github.com/tarry-mr/tarry/dfs/stores"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
)

// meetingStore is a store whose output several processes write: one sets it up and commits, the
// others join it.
type meetingStore interface {
	Store
	// meeting returns, after Setup, where the other processes find the output.
	meeting() (where string, err error)
	join(where string, synced bool) error
	quit() error // called by processes that joined
	keep(name string, data []byte) (where string, err error)
}

// Meets reports whether attempts in several processes can write the output.
func (c *Committer) Meets() bool {
	_, ok := c.Store.(meetingStore)
	return ok
}

// Meeting returns the name under which other processes Join the output, after SetupJob.
func (c *Committer) Meeting() (where string, err error) { return c.Store.(meetingStore).meeting() }

// Join opens an output that another process has set up, at where; synced says that it is resumable.
func (c *Committer) Join(where string, synced bool) error {
	return c.Store.(meetingStore).join(where, synced)
}

// Quit closes the output that Join has opened, and leaves it to the others.
func (c *Committer) Quit() error { return c.Store.(meetingStore).quit() }

// RunFile is the name of the temporary file in which a run tells users and Left about itself.
const RunFile = "run"

const longestRunText = 200

// Left returns what a killed run had written to RunFile, if SetupJob has removed its output;
// otherwise "".
func (c *Committer) Left() string {
	if s, ok := c.Store.(*localStore); ok {
		return s.killed
	}
	return ""
}

// KeepFile writes a file to the directory of temporary files and returns its path.
func (c *Committer) KeepFile(name string, data []byte) (path string, err error) {
	s, ok := c.Store.(meetingStore)
	if !ok {
		return "", ErrUnprepared
	}
	return s.keep(name, data)
}

func (s *localStore) meeting() (string, error) {
	if s.out == nil {
		return "", ErrUnprepared
	}
	return filepath.Abs(s.out.path)
}

// join opens the output directory that another process has set up.
func (s *localStore) join(where string, synced bool) (err error) {
	if s.out, err = openOutputDir(s.tree, where); err != nil {
		return fmt.Errorf("the output of the process that submitted the job: %w", err)
	}
	if s.temp, err = s.out.root.OpenRoot(Temporary); err != nil {
		return errors.Join(fmt.Errorf("the output of the process that submitted the job: %w", err), s.out.release())
	}
	if synced {
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
		return "", ErrUnprepared
	}
	f, err := s.temp.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return "", err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err != nil {
		return "", err
	}
	return filepath.Abs(filepath.Join(s.out.path, Temporary, name))
}

func (s *remoteStore) meeting() (string, error) {
	if !s.owned {
		return "", ErrUnprepared
	}
	return s.url, nil
}

func (s *remoteStore) join(where string, _ bool) error {
	if where != s.url {
		return fault.Permanent(fmt.Errorf("the output is %s here, and %s where the job was submitted", s.url, where))
	}
	return s.open()
}

func (s *remoteStore) quit() error { return nil }

func (s *remoteStore) keep(name string, data []byte) (string, error) {
	if !s.owned {
		return "", ErrUnprepared
	}
	within := path.Join(Temporary, name)
	if err := stores.WriteFile(s.fs, path.Join(s.dir, within), data); err != nil {
		return "", s.named(err)
	}
	return s.url + "/" + within, nil
}
