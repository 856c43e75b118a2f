package serve

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/tarry-mr/tarry/actors/serve/api"
	"github.com/tarry-mr/tarry/actors/state"
	"github.com/tarry-mr/tarry/dfs"
	"github.com/tarry-mr/tarry/internal/journal"
	"github.com/tarry-mr/tarry/internal/scratch"
	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/counter"
	"github.com/tarry-mr/tarry/scheduling/access"
)

// Directories within a State directory.
const (
	coreDir   = "core"   // a state.Dir
	jobsDir   = "jobs"   // the journal of the ledger
	storeDir  = "store"  // the files of the block store
	stagesDir = "stages" // output of a stage for the next stage
	partDir   = "part"   // uploads in progress
)

// record is what is on disk of a job.
type record struct {
	ID       int64
	Who      access.Principal
	Asked    api.Submission
	Key      string `json:",omitempty"` // of the user and the client's, see api.Client.Submit
	At       time.Time
	Inputs   []stamp      `json:",omitempty"` // until its end
	Kill     *api.Kill    `json:",omitempty"` // set when the job must be killed
	End      *api.Job     `json:",omitempty"` // how it ended
	Counters *counter.Set `json:",omitempty"` // of its stages, once it has ended
}

// stamp shows, after a restart, if an input file is still the one that its job was submitted with.
type stamp struct {
	Name string
	Size int64
}

// entry is a change of the ledger, and a record of its journal. A journal begins with a snapshot:
// an entry that makes the whole ledger.
type entry struct {
	Next    int64                `json:",omitempty"` // at least the number of the next job
	Jobs    []record             `json:",omitempty"` // submitted or changed jobs
	Stored  map[string]*dfs.Sums `json:",omitempty"` // files of the block store, by name
	Removed string               `json:",omitempty"` // a file of the block store, or a directory of it

	job    *job   // of Jobs, if this process has accepted it now
	claim  *claim // of the upload or job that ends; nil if there is none
	anyway bool   // the change is made even if it cannot be written
}

// open opens the State, if there is one, and reads what it records. After an error the caller
// closes the ledger.
func (l *ledger) open(cfg *Config) error {
	var err error
	if l.dir == "" {
		if l.scratch, err = scratch.Dir(cfg.Cluster.SpillDir, "tarry-serve-"); err == nil {
			l.dir = l.scratch.Name()
		}
		return err
	}
	if err = ownDir(l.dir); err != nil {
		return err
	}
	if l.journal, err = journal.Open(filepath.Join(l.dir, jobsDir)); err == nil {
		err = l.read()
	}
	core := filepath.Join(l.dir, coreDir)
	if err == nil && l.next > 1 && !hasLog(core) {
		return lostLog(l.dir, coreDir)
	}
	if err == nil {
		l.core, err = state.Open(core, cfg.Cluster.Parts)
	}
	if err != nil {
		err = fmt.Errorf("serve: %s: %w", l.dir, err)
	}
	return err
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
	for _, e := range list {
		switch e.Name() {
		case jobsDir: // the first process may have left it without a log
		case coreDir, storeDir, stagesDir, partDir:
			err = lostLog(dir, jobsDir)
		default:
			return fmt.Errorf("serve: %s: it holds something else than the state of a server", dir)
		}
	}
	return err
}

// hasLog reports whether a directory contains a journal.
func hasLog(dir string) bool {
	logs, _ := fs.Glob(os.DirFS(dir), "log-*[0-9]") // the pattern is valid
	return len(logs) > 0
}

func lostLog(dir, which string) error {
	return fmt.Errorf("serve: %s: %s is lost: put it back, or begin with an empty directory", dir, filepath.Join(which, "log-*"))
}

// read reads the journal, or begins it.
func (l *ledger) read() error {
	text, lines, err := l.journal.Read()
	if err == nil && text == nil {
		err = l.compact()
	} else if err == nil {
		err = l.replay(slices.Concat([][]byte{text}, lines))
	}
	return err
}

// replay makes the changes that a journal records: a snapshot, and the entries after it. Unknown
// fields are those of another version.
func (l *ledger) replay(lines [][]byte) error {
	for i, line := range lines {
		var e entry
		text := json.NewDecoder(bytes.NewReader(line))
		text.DisallowUnknownFields()
		if err := text.Decode(&e); err != nil {
			return fmt.Errorf("record %d: %w", i, err)
		}
		l.apply(&e)
	}
	return nil
}

// write appends an entry to the journal, if there is one; it is on disk when write returns.
func (l *ledger) write(e *entry) error {
	if l.journal == nil {
		return nil
	}
	text, err := json.Marshal(e)
	if err == nil {
		err = l.journal.Append(text)
	}
	if err == nil {
		err = l.journal.Sync()
	}
	if err != nil {
		l.broken.Do(func() { l.log.Error("the state is not kept any more", "dir", l.dir, "err", err) })
		err = refuse("no-state", "the server cannot remember it: %v", err)
	}
	return err
}

// snapshot returns what must survive the process. The caller holds writing, or is alone.
func (l *ledger) snapshot() *entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := &entry{Next: l.next, Stored: l.files}
	for _, j := range l.list {
		all.Jobs = append(all.Jobs, j.now())
	}
	return all
}

// compact replaces the journal, if there is one, by a snapshot. The caller holds writing, or is
// alone.
func (l *ledger) compact() error {
	if l.journal == nil {
		return nil
	}
	text, err := json.Marshal(l.snapshot())
	if err != nil {
		return err
	}
	l.snapshotSize.Store(int64(len(text)))
	return l.journal.Snapshot(text)
}

// longJournal is the minimum size of the journal after a snapshot, in bytes, at which a new
// snapshot replaces it; a larger snapshot raises it to its own size.
const longJournal = 16 << 20

func (l *ledger) long() bool {
	snapshot := l.snapshotSize.Load()
	return l.journal != nil && l.journal.Size()-snapshot >= max(snapshot, longJournal)
}

// trim replaces the journal by a snapshot if the journal is long.
func (l *ledger) trim() {
	if !l.long() {
		return
	}
	l.writing.Lock()
	defer l.writing.Unlock()
	if !l.long() {
		return // another call has done it
	}
	if err := l.compact(); err != nil {
		l.log.Error("the journal is not shortened", "err", err)
	}
}

// durable reports whether there is a State.
func (l *ledger) durable() bool { return l.scratch == nil }

// close closes and unlocks what is open of the State.
func (l *ledger) close() (err error) {
	if l.scratch != nil {
		err = l.scratch.Remove()
	}
	if l.core != nil {
		err = errors.Join(err, l.core.Close())
	}
	if l.journal != nil {
		err = errors.Join(err, l.journal.Close())
	}
	return err
}

// stored returns the path of a file of the block store on this machine.
func (l *ledger) stored(name string) string {
	return filepath.Join(l.dir, storeDir, filepath.FromSlash(name))
}

// stages returns the directory for the data that a job's stages pass on. With a State the next
// process can resume the job from it.
func (l *ledger) stages(id int64) string { return filepath.Join(l.dir, stagesDir, fmt.Sprint(id)) }

// key returns the name of a job's stage in the cluster's State; empty without one.
func (l *ledger) key(id int64, stage int) string {
	if !l.durable() {
		return ""
	}
	return fmt.Sprintf("job %d stage %d", id, stage)
}

// resumable makes an output resumable by another process.
func (l *ledger) resumable(to mapreduce.Destination, id int64, stage int) mapreduce.Destination {
	if !l.durable() {
		return to
	}
	return to.Resumable(l.core.Token(l.key(id, stage)))
}
