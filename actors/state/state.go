// Package state records on disk what a cluster must know to continue its jobs in a later process.
//
// A [Dir] is a directory with a journal: a snapshot and the records since. Most records are calls
// of the scheduling.Core, each written before it is answered. Others say, for a job with a key, how
// its input was split, which records its maps skipped, and that it succeeded. [Open] loads the
// journal. The JobTracker appends to it. A Dir rebuilds the Core from it, in this process or in a
// later one.
package state

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"log/slog"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tarry-mr/tarry/internal/journal"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/calls"
	"github.com/tarry-mr/tarry/scheduling/event"
)

// ErrInUse is wrapped by the error of [Open] for a directory that another process, or another Dir
// of this process, has open.
var ErrInUse = journal.ErrLocked

// longLog is the default of Dir.LongLog in bytes.
const longLog = 16 << 20

// Dir is a directory that records the jobs of a cluster, so that a cluster of a later process can
// continue them; set it as actors.Config.State. A Dir serves one cluster. Its methods are safe for
// concurrent use.
type Dir struct {
	// LongLog is the minimum size of the log in bytes before a snapshot replaces it. Open sets it
	// to 16 MiB. While a cluster runs, only its JobTracker may use it.
	LongLog int64

	journal *journal.Journal
	dir     string

	mu    sync.Mutex
	saved saved // the content of the last snapshot; comments name newer fields

	durable scheduling.DurableState     // state of the earlier cluster, until this one begins
	awaited map[string]scheduling.JobID // jobs of the earlier cluster, by key; then the JobTracker's
	inUse   atomic.Bool                 // a cluster uses it
	stopped atomic.Bool                 // Stop was called: nothing more is recorded
	broken  atomic.Bool                 // a write error has been reported
}

// saved is the content of a snapshot.
type saved struct {
	ID    string          // unique among all Dirs
	About json.RawMessage `json:",omitempty"`

	// The Core is rebuilt from these three; Policy is nil before the first cluster.
	Policy *scheduling.Policy
	Config scheduling.Config
	State  scheduling.DurableState `json:"Facts"`

	// Succeeded describes the jobs that succeeded, including those after the snapshot.
	Succeeded map[string]Succeeded
	// Cuts are checksums of the splits of unfinished jobs, by the job's key, including those
	// recorded after the snapshot.
	Cuts map[string]uint64
	// Skips are the bad records that unfinished jobs have skipped, by the job's key and the map's
	// index, including those recorded after the snapshot.
	Skips map[string]map[int32][]cluster.Skipped `json:",omitempty"`
}

// Succeeded is the record of a job that has succeeded.
type Succeeded struct {
	Name    string
	Elapsed time.Duration // from submission to end, without times when no cluster ran
}

// The first byte of a record in the log tells its kind.
const (
	callRecord    = 'c' // a calls.Call
	successRecord = 's'
	cutRecord     = 'k'
	skipRecord    = 'b' // skipped records
)

// entry is a record about the job with a key that is not a call. Each kind has its own fields.
type entry struct {
	Key  string
	How  Succeeded         `json:",omitzero"` // of a success
	Sum  uint64            `json:",omitzero"` // of a cut
	Map  int32             `json:",omitzero"` // of skipped records
	List []cluster.Skipped `json:",omitempty"`
}

// apply changes the saved state by an entry. It returns false for an unknown kind.
func (s *saved) apply(kind byte, e *entry) bool {
	switch kind {
	case successRecord:
		s.Succeeded[e.Key] = e.How
		delete(s.Cuts, e.Key) // only an unfinished job needs these
		delete(s.Skips, e.Key)
	case cutRecord:
		s.Cuts[e.Key] = e.Sum
	case skipRecord: // the list replaces the map's earlier one
		if s.Skips == nil {
			s.Skips = map[string]map[int32][]cluster.Skipped{}
		}
		byMap := s.Skips[e.Key]
		if byMap == nil {
			byMap = map[int32][]cluster.Skipped{}
			s.Skips[e.Key] = byMap
		}
		if byMap[e.Map] = e.List; len(e.List) == 0 {
			delete(byMap, e.Map)
		}
	default:
		return false
	}
	return true
}

// Open opens or creates the directory dir and loads the state of earlier processes. If the log is
// damaged, or this version of the program would decide differently, the error says where. parts are
// those of the cluster's Config, because Open repeats the recorded decisions.
func Open(dir string, parts scheduling.Parts) (*Dir, error) {
	j, err := journal.Open(dir)
	if err != nil {
		return nil, err
	}
	d := &Dir{journal: j, dir: dir, LongLog: longLog, awaited: map[string]scheduling.JobID{}}
	d.saved.Succeeded, d.saved.Cuts = map[string]Succeeded{}, map[string]uint64{}
	snapshot, records, err := j.Read()
	if err == nil && snapshot != nil {
		err = d.read(parts, snapshot, records)
	} else {
		d.saved.ID = rand.Text()
	}
	if err != nil {
		return nil, errors.Join(err, j.Close())
	}
	return d, nil
}

// read sets d's state from a snapshot and the records after it.
func (d *Dir) read(parts scheduling.Parts, snapshot []byte, records [][]byte) error {
	if err := json.Unmarshal(snapshot, &d.saved); err != nil {
		return fmt.Errorf("%s: the snapshot: %w", d.dir, err)
	}
	if d.saved.Succeeded == nil || d.saved.Cuts == nil {
		return fmt.Errorf("%s: the snapshot is none", d.dir)
	}
	if err := d.readEntries(records); err != nil {
		return err
	}
	core, err := d.rebuild(scheduling.Config{Parts: parts}, snapshot, records)
	if err != nil || core == nil {
		return err
	}
	d.durable = core.View().DurableState()
	active := d.durable.Active[:0]
	for _, j := range d.durable.Active {
		if _, done := d.saved.Succeeded[j.Spec.Key]; j.Spec.Key != "" && !done {
			active = append(active, j)
			d.awaited[j.Spec.Key] = j.ID
		}
	}
	d.durable.Active = active
	return nil
}

// readEntries changes the saved state by the records that are not calls of the Core.
func (d *Dir) readEntries(records [][]byte) error {
	for i, r := range records {
		var e entry
		var err error
		switch {
		case len(r) == 0:
			err = errors.New("it is empty")
		case r[0] == callRecord:
			continue
		default:
			err = json.Unmarshal(r[1:], &e)
		}
		if err == nil && !d.saved.apply(r[0], &e) {
			err = errors.New("of no known kind")
		}
		if err != nil {
			return fmt.Errorf("%s: record %d: %w", d.dir, i+1, err)
		}
	}
	return nil
}

// rebuild returns the Core after the recorded calls, which it replays from the snapshot, or nil if
// no cluster has begun. The new Core calls the functions of cfg, but not during the replay.
func (d *Dir) rebuild(cfg scheduling.Config, snapshot []byte, records [][]byte) (*scheduling.Core, error) {
	var from saved
	if err := json.Unmarshal(snapshot, &from); err != nil {
		return nil, fmt.Errorf("%s: the snapshot: %w", d.dir, err)
	}
	if from.Policy == nil {
		return nil, nil
	}
	silent, as := true, from.Config
	as.Parts = cfg.Parts
	as.Calls = func(call *calls.Call) {
		if !silent {
			cfg.Calls(call)
		}
	}
	as.Events = func(e event.Event) {
		if !silent {
			cfg.Events(e)
		}
	}
	core, err := scheduling.NewCore(as, *from.Policy)
	if err == nil {
		err = core.Restore(from.State)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: the snapshot: %w", d.dir, err)
	}
	var log bytes.Buffer
	for _, r := range records {
		if r[0] == callRecord {
			log.Write(r[1:])
		}
	}
	if err := core.Replay(&log); err != nil {
		return nil, fmt.Errorf("%s: another version of tarry has written it: %w", d.dir, err)
	}
	silent = false
	return core, nil
}

// Fresh reports whether the directory is empty: Begin has never been called.
func (d *Dir) Fresh() bool { return d.About() == nil }

// About returns what this process or an earlier one passed to Begin.
func (d *Dir) About() json.RawMessage {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.saved.About
}

// Begin records about, JSON that describes the use of a fresh Dir. A later process gets it from
// About to recognize the Dir. about is on the disk when Begin returns.
func (d *Dir) Begin(about json.RawMessage) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.saved.About = about
	return d.snapshot()
}

// Token returns the token for [mapreduce.Destination.Resumable] that makes the output of the job
// with this key resumable.
func (d *Dir) Token(key string) string { return d.saved.ID + " " + key }

// Succeeded reports whether the job with this key has succeeded, and returns the record of it.
func (d *Dir) Succeeded(key string) (how Succeeded, yes bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	how, yes = d.saved.Succeeded[key]
	return how, yes
}

// Close closes the journal and unlocks the directory. Call it after the cluster is closed. Its
// error includes earlier write errors.
func (d *Dir) Close() error { return d.journal.Close() }

// snapshot writes a snapshot with the saved state, in place of the log. The caller holds mu.
func (d *Dir) snapshot() error {
	b, err := json.Marshal(&d.saved)
	if err != nil {
		return err
	}
	return d.journal.Snapshot(b)
}

// NewCore returns the Core of a new cluster with this configuration and policy, which continues
// from durable. It writes a snapshot of them.
func (d *Dir) NewCore(cfg scheduling.Config, policy scheduling.Policy, durable scheduling.DurableState) (*scheduling.Core, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.saved.Policy, d.saved.Config, d.saved.State = &policy, cfg, durable
	if err := d.snapshot(); err != nil {
		return nil, err
	}
	b, err := json.Marshal(&d.saved) // so that the Core is the one that a later process rebuilds
	if err != nil {
		return nil, err
	}
	return d.rebuild(cfg, b, nil)
}

// RebuiltCore returns a new Core in the state of the log, after a panic of the running Core.
func (d *Dir) RebuiltCore(cfg scheduling.Config) (*scheduling.Core, error) {
	snapshot, records, err := d.journal.Read()
	if err != nil {
		return nil, err
	}
	return d.rebuild(cfg, snapshot, records)
}

// append writes a record of this kind. It logs the first write error and stops recording. Jobs
// continue, and for a later process this one was killed at that moment.
func (d *Dir) append(kind byte, v any, log *slog.Logger) {
	b, err := json.Marshal(v)
	if err == nil {
		err = d.journal.Append(append([]byte{kind}, b...))
	}
	d.Fail(err, log)
}

// note changes the saved state by an entry and appends it to the log. The caller holds mu.
func (d *Dir) note(kind byte, e *entry, log *slog.Logger) {
	d.saved.apply(kind, e)
	d.append(kind, e, log)
}

// Sync forces appended records to the disk.
func (d *Dir) Sync(log *slog.Logger) { d.Fail(d.journal.Sync(), log) }

// Fail stops all recording at the first error that is not nil, and logs that error. Jobs continue.
func (d *Dir) Fail(err error, log *slog.Logger) {
	if err != nil && !d.broken.Swap(true) {
		log.Error("the state is not kept any more", "dir", d.dir, "err", err)
	}
}

// Record appends a call of the Core to the log.
func (d *Dir) Record(call *calls.Call, log *slog.Logger) {
	if d.Recording() {
		d.append(callRecord, call, log)
	}
}

// Succeed records, on the disk, that a job has succeeded and its output is complete.
func (d *Dir) Succeed(key string, how Succeeded, log *slog.Logger) {
	d.mu.Lock()
	d.note(successRecord, &entry{Key: key, How: how}, log)
	d.mu.Unlock()
	d.Sync(log) // without the lock, together with other appends
}

// Cut records the splits of a job and reports whether they equal those of the last call, by this or
// an earlier cluster. If not, the caller must drop parts that maps committed for other splits.
func (d *Dir) Cut(key string, splits []cluster.Split, log *slog.Logger) (same bool) {
	h := fnv.New64a()
	for _, x := range splits {
		fmt.Fprintln(h, x.Source, x.Offset, x.Length, x.Files)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	before, known := d.saved.Cuts[key]
	if known && before == h.Sum64() {
		return true
	}
	d.note(cutRecord, &entry{Key: key, Sum: h.Sum64()}, log)
	return false
}

// Skip records the list of bad records that map m of a job has skipped, in place of its earlier
// list. It reports whether it wrote anything.
func (d *Dir) Skip(key string, m int32, list []cluster.Skipped, log *slog.Logger) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(list) == 0 && len(d.saved.Skips[key][m]) == 0 {
		return false
	}
	d.note(skipRecord, &entry{Key: key, Map: m, List: list}, log)
	return true
}

// Skips returns a copy of the lists of bad records that the maps of an unfinished job skipped.
func (d *Dir) Skips(key string) map[int32][]cluster.Skipped {
	d.mu.Lock()
	defer d.mu.Unlock()
	return maps.Clone(d.saved.Skips[key])
}

// Former returns the state of the earlier cluster to the one cluster that d serves. A second call
// returns an error. A nil d returns an empty state.
func (d *Dir) Former() (scheduling.DurableState, error) {
	if d == nil {
		return scheduling.DurableState{}, nil
	}
	if d.inUse.Swap(true) {
		return scheduling.DurableState{}, errors.New("actors: a State serves one cluster: close and open it again")
	}
	return d.durable, nil
}

// Awaited returns the ID of an earlier cluster's unfinished job with this key, until Taken, or 0.
// Only the JobTracker may call Awaited and Taken.
func (d *Dir) Awaited(key string) scheduling.JobID { return d.awaited[key] }

// Taken notes that the job with this key was resubmitted, so that Awaited no longer returns it.
func (d *Dir) Taken(key string) { delete(d.awaited, key) }

// Stop ends recording, so that the jobs of a closing cluster wait for the next one. A nil Dir does
// nothing.
func (d *Dir) Stop() {
	if d != nil {
		d.stopped.Store(true)
	}
}

// Stopped reports whether Stop was called.
func (d *Dir) Stopped() bool { return d.stopped.Load() }

// Recording reports whether calls are still recorded: Stop was not called, and no write failed.
func (d *Dir) Recording() bool { return !d.stopped.Load() && !d.broken.Load() }

// Long reports whether the log has grown so long that a snapshot may replace it.
func (d *Dir) Long() bool { return !d.broken.Load() && d.journal.Size() >= d.LongLog }

// Journal returns the log on disk, for tests.
func (d *Dir) Journal() *journal.Journal { return d.journal }
