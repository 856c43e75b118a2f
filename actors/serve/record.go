package serve

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tarry-mr/tarry/actors/serve/api"
	"github.com/tarry-mr/tarry/actors/state"
	"github.com/tarry-mr/tarry/dfs"
	"github.com/tarry-mr/tarry/internal/journal"
	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/counter"
	"github.com/tarry-mr/tarry/scheduling/access"
)

// Directories within a State directory.
const (
	coreDir   = "core"   // a state.Dir
	jobsDir   = "jobs"   // a journal of submissions, kills and ends
	storeDir  = "store"  // the files of the block store
	stagesDir = "stages" // output of a stage for the next stage
	partDir   = "part"   // uploads in progress
)

// memory is the server's durable state. Changes are on disk before a client is answered. A nil
// memory records nothing.
type memory struct {
	dir     string
	journal *journal.Journal
	state   *state.Dir
	log     *slog.Logger

	snapshotSize atomic.Int64 // size of the last snapshot in bytes
	broken       sync.Once    // a write error has been logged
}

// record is what is on disk of a job.
type record struct {
	ID     int64
	Who    access.Principal
	Asked  api.Submission
	Key    fingerprint `json:",omitzero"` // fingerprint of the client's key, see api.Client.Submit
	At     time.Time
	Inputs []stamp
	Kill   *api.Kill `json:",omitempty"` // set when the job must be killed
	End    *ending   `json:",omitempty"`
}

// stamp shows, after a restart, if an input file is still the one that its job was submitted with.
type stamp struct {
	Name string
	Size int64
}

// ending describes how a job ended.
type ending struct {
	State    string
	Error    string `json:",omitempty"`
	At       time.Time
	Pool     string `json:",omitempty"`
	Priority string
	Stages   []api.Stage
	Counters *counter.Set
}

// entry is a record in the journal. It sets one of these fields; only End may come with Stored and
// Output.
type entry struct {
	Submit  *record              `json:",omitempty"`
	ID      int64                `json:",omitempty"` // number of the job of Kill and End
	Kill    *api.Kill            `json:",omitempty"`
	End     *ending              `json:",omitempty"`
	Stored  map[string]*dfs.Sums `json:",omitempty"` // files of the block store, by name
	Output  string               `json:",omitempty"` // with End: the job's finished directory in the block store
	Removed string               `json:",omitempty"` // a file of the block store, or a directory of it
}

// snapshot is the state with which a journal begins.
type snapshot struct {
	Next int64
	Jobs []*record   // by ID
	Keys []*keyedJob // of ended jobs, some of which may be missing from Jobs
	stored
}

// openMemory opens the state directory and returns what it records. If cfg has none, the memory is
// nil.
func openMemory(cfg *Config) (*memory, *snapshot, error) {
	was := &snapshot{Next: 1, stored: stored{Files: map[string]*dfs.Sums{}, Outputs: map[string]string{}}}
	if cfg.State == "" {
		return nil, was, nil
	}
	if err := ownDir(cfg.State); err != nil {
		return nil, nil, err
	}
	j, err := journal.Open(filepath.Join(cfg.State, jobsDir))
	if err != nil {
		return nil, nil, fmt.Errorf("serve: %s: %w", cfg.State, err)
	}
	m := &memory{dir: cfg.State, journal: j, log: cfg.Log}
	text, lines, err := j.Read()
	switch {
	case err != nil:
	case text == nil:
		err = m.compact(was)
	default:
		err = was.read(text, lines)
	}
	if core := filepath.Join(cfg.State, coreDir); err == nil && was.Next > 1 && !hasLog(core) {
		return nil, nil, errors.Join(lostLog(cfg.State, coreDir), j.Close())
	} else if err == nil {
		m.state, err = state.Open(core, cfg.Cluster.Parts)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("serve: %s: %w", cfg.State, errors.Join(err, j.Close()))
	}
	return m, was, nil
}

// ownDir creates the state directory. It rejects a directory that holds anything else than a
// server's state, or that has lost its list of jobs, which is always written first.
func ownDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("serve: state %w", err)
	}
	list, err := os.ReadDir(dir)
	if err != nil || hasLog(filepath.Join(dir, jobsDir)) {
		return err
	}
	lost := false
	for _, e := range list {
		switch e.Name() {
		case jobsDir: // the first process may have left it without a log
		case coreDir, storeDir, stagesDir, partDir:
			lost = true
		default:
			return fmt.Errorf("serve: %s: it holds something else than the state of a server", dir)
		}
	}
	if lost {
		return lostLog(dir, jobsDir)
	}
	return nil
}

// hasLog reports whether a directory contains a journal.
func hasLog(dir string) bool {
	list, err := os.ReadDir(dir)
	return err == nil && slices.ContainsFunc(list, func(e os.DirEntry) bool {
		return strings.HasPrefix(e.Name(), "log-") && !strings.HasSuffix(e.Name(), ".new")
	})
}

func lostLog(dir, which string) error {
	return fmt.Errorf("serve: %s: %s is lost: put it back, or begin with an empty directory", dir, filepath.Join(which, "log-*"))
}

// read sets s to the state that a journal records: a snapshot, and the entries after it.
func (s *snapshot) read(text []byte, lines [][]byte) error {
	if err := json.Unmarshal(text, s); err != nil {
		return fmt.Errorf("the snapshot: %w", err)
	}
	byID := map[int64]*record{}
	for _, r := range s.Jobs {
		if r == nil {
			return errors.New("the snapshot: a job that is none")
		}
		byID[r.ID] = r
	}
	for i, line := range lines {
		var e entry
		if err := json.Unmarshal(line, &e); err != nil {
			return fmt.Errorf("record %d: %w", i+1, err)
		}
		if e.Submit != nil {
			s.Jobs = append(s.Jobs, e.Submit)
			byID[e.Submit.ID] = e.Submit
			s.Next = max(s.Next, e.Submit.ID+1)
			continue
		}
		r := byID[e.ID]
		switch {
		case e.ID == 0: // an entry about files
			s.apply(&e, "")
		case r == nil:
			return fmt.Errorf("record %d: there is no job %d", i+1, e.ID)
		case e.Kill != nil:
			r.Kill = e.Kill
		case e.End != nil:
			r.End = e.End
			s.apply(&e, r.Who.User)
		}
	}
	// Concurrent submissions may be written out of order.
	slices.SortFunc(s.Jobs, func(x, y *record) int { return cmp.Compare(x.ID, y.ID) })
	return nil
}

// write appends an entry to the journal; it is on disk when write returns.
func (m *memory) write(e *entry) error {
	if m == nil {
		return nil
	}
	text, err := json.Marshal(e)
	if err == nil {
		err = m.journal.Append(text)
	}
	if err == nil {
		err = m.journal.Sync()
	}
	if err != nil {
		m.broken.Do(func() { m.log.Error("the state is not kept any more", "dir", m.dir, "err", err) })
	}
	return err
}

// compact replaces the journal by a snapshot.
func (m *memory) compact(s *snapshot) error {
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	m.snapshotSize.Store(int64(len(text)))
	return m.journal.Snapshot(text)
}

// close closes and unlocks the state directory.
func (m *memory) close() error {
	if m == nil {
		return nil
	}
	return errors.Join(m.state.Close(), m.journal.Close())
}

// stages returns the directory with the data between the stages of a job.
func (m *memory) stages(id int64) string { return filepath.Join(m.dir, stagesDir, fmt.Sprint(id)) }

// key returns the name of a job's stage in the cluster's State; empty without a memory.
func (m *memory) key(id int64, stage int) string {
	if m == nil {
		return ""
	}
	return fmt.Sprintf("job %d stage %d", id, stage)
}

// resumable makes an output resumable by another process.
func (m *memory) resumable(to mapreduce.Destination, id int64, stage int) mapreduce.Destination {
	if m == nil {
		return to
	}
	return to.Resumable(m.state.Token(m.key(id, stage)))
}
