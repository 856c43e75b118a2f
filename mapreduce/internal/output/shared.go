package output

import (
	"cmp"
	"fmt"
	"path"
	"path/filepath"
	"slices"

	"github.com/tarry-mr/tarry/dfs/stores"
	"github.com/tarry-mr/tarry/mapreduce/internal/attempt"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
)

// Shared is an output that several processes write: one sets it up and commits, the others join it.
type Shared interface {
	// Meeting returns, after Setup, where the other processes find the output.
	Meeting() (where string, err error)
	// Join opens the output that another process has set up; synced says that it is resumable.
	Join(where string, synced bool) error
	// Quit closes what Join has opened, and leaves it to the others.
	Quit() error
	// Keep writes a file to the directory of temporary files and returns its path.
	Keep(name string, data []byte) (path string, err error)
}

// Shared returns the output as one that several processes write; nil if attempts must run in this
// one.
func (c *Committer) Shared() Shared {
	switch {
	case c.local != nil:
		return c.local
	case c.dir != nil && stores.Named(c.dir.url):
		return c.dir
	}
	return nil
}

// RunFile is the name of the temporary file in which a run tells users and Left about itself.
const RunFile = "run"

const longestRunText = 200

// Left returns what a killed run had written to RunFile, if SetupJob has removed its output;
// otherwise "".
func (c *Committer) Left() string {
	if c.local != nil {
		return c.local.killed
	}
	return ""
}

func (s *localStore) Meeting() (string, error) {
	if s.out == nil {
		return "", ErrUnprepared
	}
	return filepath.Abs(s.out.path)
}

func (s *localStore) Join(where string, synced bool) (err error) {
	if s.out, err = openOutputDir(s.tree, where); err == nil {
		s.temp, err = s.out.root.OpenRoot(Temporary)
	}
	if err != nil {
		return fmt.Errorf("the output of the process that submitted the job: %w", err)
	}
	if synced {
		s.token = cmp.Or(s.token, "-")
	}
	return nil
}

func (s *localStore) Quit() error { return s.leave() }

func (s *localStore) Keep(name string, data []byte) (string, error) {
	if s.temp == nil {
		return "", ErrUnprepared
	}
	if err := s.temp.WriteFile(name, data, 0o600); err != nil {
		return "", err
	}
	return filepath.Abs(filepath.Join(s.temp.Name(), name))
}

func (s *dirStore) Meeting() (string, error) {
	if !s.owned {
		return "", ErrUnprepared
	}
	return s.url, nil
}

func (s *dirStore) Join(where string, _ bool) error {
	if where != s.url {
		return fault.Permanent(fmt.Errorf("the output is %s here, and %s where the job was submitted", s.url, where))
	}
	return s.open()
}

func (s *dirStore) Quit() error { return nil }

func (s *dirStore) Keep(name string, data []byte) (string, error) {
	if !s.owned {
		return "", ErrUnprepared
	}
	within := path.Join(Temporary, name)
	if err := stores.WriteFile(s.fs, path.Join(s.dir, within), data); err != nil {
		return "", s.named(err)
	}
	return s.url + "/" + within, nil
}

// Handover is what a worker process reports about its successful attempt, so that the Committer of
// the job can commit it. It can be encoded as JSON.
type Handover struct {
	Routes []string `json:"routes,omitempty"` // names of its files for mapreduce.Routed
	// Receipts are what a store needs to complete parts, by the name of the attempt's file.
	Receipts map[string]string `json:"receipts,omitempty"`
}

// Handover returns what another process needs to commit this process's successful attempt.
func (c *Committer) Handover(id attempt.ID) (h Handover) {
	c.mu.Lock()
	defer c.mu.Unlock()
	files := []Part{c.Part(id)}
	for _, r := range c.routes[id] {
		h.Routes = append(h.Routes, r.Attempt[len(id.String())+len("~"):])
		files = append(files, r)
	}
	slices.Sort(h.Routes)
	if c.dir != nil {
		h.Receipts = map[string]string{}
		for _, f := range files {
			h.Receipts[f.Attempt] = c.dir.receiptOf(f.Attempt)
		}
	}
	return h
}

// Take accepts the handover of an attempt in another process, which can then be committed.
func (c *Committer) Take(id attempt.ID, h Handover) error {
	if c.dir != nil {
		for attempt, receipt := range h.Receipts {
			c.dir.put(attempt, &storedPart{receipt: receipt})
		}
	}
	for _, name := range h.Routes {
		if err := CheckRoute(name); err != nil {
			return err
		}
		c.routed(id, name)
	}
	return nil
}
