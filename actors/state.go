package actors

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

// ErrStateInUse is wrapped by the error of [OpenState] for a directory that another process, or
// another State of this process, has open.
var ErrStateInUse = journal.ErrLocked

// State is a directory that records the jobs of a cluster, so that a cluster of a later process can
// continue them; set it as [Config].State. It holds a snapshot, the calls of the scheduling.Core
// since then, each written before it is answered, and the keys of the jobs that succeeded. A State
// serves one cluster. Its methods are safe for concurrent use.
type State struct {
	journal *journal.Journal
	dir     string

	long int64 // minimum log size in bytes before a snapshot replaces it

	mu    sync.Mutex
	saved saved // at the last snapshot, except for fields that say otherwise

	facts   scheduling.Facts            // of the earlier cluster, until this one begins
	awaited map[string]scheduling.JobID // jobs of the earlier cluster, by key; then the JobTracker's
	used    atomic.Bool                 // a cluster uses it
	stopped atomic.Bool                 // the cluster is closing: nothing more is recorded
	broken  atomic.Bool                 // a write error has been reported
}

// saved is a snapshot.
type saved struct {
	ID    string          // unique among all States
	About json.RawMessage `json:",omitempty"`

	// The Core starts from these; Policy is nil before the first cluster.
	Policy *scheduling.Policy
	Config scheduling.Config
	Facts  scheduling.Facts

	// Succeeded describes the jobs that succeeded, including those after the snapshot.
	Succeeded map[string]Succeeded
	// Cuts are checksums of the splits of unfinished jobs, by key, including those after the
	// snapshot.
	Cuts map[string]uint64
	// Skips are the records that maps of these jobs have skipped, by key and map, including those
	// after the snapshot.
	Skips map[string]map[int32][]cluster.Skipped `json:",omitempty"`
}

// Succeeded is a State's record of a job that has succeeded.
type Succeeded struct {
	Name    string
	Elapsed time.Duration // since its submission, without the time in which no cluster ran
}

// succeed records that a job has succeeded and forgets its cuts and skips.
func (s *saved) succeed(key string, how Succeeded) {
	s.Succeeded[key] = how
	delete(s.Cuts, key)
	delete(s.Skips, key)
}

// skip records what a map has skipped.
func (s *saved) skip(e *skipEntry) {
	if s.Skips == nil {
		s.Skips = map[string]map[int32][]cluster.Skipped{}
	}
	of := s.Skips[e.Key]
	if of == nil {
		of = map[int32][]cluster.Skipped{}
		s.Skips[e.Key] = of
	}
	if of[e.Map] = e.List; len(e.List) == 0 {
		delete(of, e.Map)
	}
}

// The first byte of a record is its kind.
const (
	callRecord    = 'c' // a calls.Call
	successRecord = 's'
	cutRecord     = 'k'
	skipRecord    = 'b' // skipped records
)

// The other records.
type (
	successEntry struct {
		Key string
		How Succeeded
	}
	cutEntry struct {
		Key string
		Sum uint64
	}
	skipEntry struct {
		Key  string
		Map  int32
		List []cluster.Skipped // replaces the map's earlier list
	}
)

// OpenState opens or creates the directory and loads what a killed process left there. If the log
// is damaged, or this version of the program would not have written it, the error says where.
func OpenState(dir string) (*State, error) { return OpenStateOf(dir, scheduling.Parts{}) }

// OpenStateOf is OpenState for clusters whose policies use Config.Parts: loading the log runs their
// decisions again.
func OpenStateOf(dir string, parts scheduling.Parts) (*State, error) {
	j, err := journal.Open(dir)
	if err != nil {
		return nil, err
	}
	s := &State{journal: j, dir: dir, long: longLog, awaited: map[string]scheduling.JobID{}}
	s.saved.Succeeded, s.saved.Cuts = map[string]Succeeded{}, map[string]uint64{}
	if err := s.load(parts); err != nil {
		return nil, errors.Join(err, j.Close())
	}
	return s, nil
}

// load reads the snapshot and the log, if they exist.
func (s *State) load(parts scheduling.Parts) error {
	snapshot, records, err := s.journal.Read()
	if err != nil {
		return err
	}
	if snapshot == nil {
		s.saved.ID = rand.Text()
		return nil
	}
	return s.read(parts, snapshot, records)
}

// read loads a snapshot and the records after it.
func (s *State) read(parts scheduling.Parts, snapshot []byte, records [][]byte) error {
	if err := json.Unmarshal(snapshot, &s.saved); err != nil {
		return fmt.Errorf("%s: the snapshot: %w", s.dir, err)
	}
	if s.saved.Succeeded == nil || s.saved.Cuts == nil {
		return fmt.Errorf("%s: the snapshot is none", s.dir)
	}
	if err := s.readEntries(records); err != nil {
		return err
	}
	core, err := s.rebuild(scheduling.Config{Parts: parts}, snapshot, records)
	if err != nil || core == nil {
		return err
	}
	s.facts = core.View().Facts()
	active := s.facts.Active[:0]
	for _, j := range s.facts.Active {
		if _, done := s.saved.Succeeded[j.Spec.Key]; j.Spec.Key != "" && !done {
			active = append(active, j)
			s.awaited[j.Spec.Key] = j.ID
		}
	}
	s.facts.Active = active
	return nil
}

// readEntries loads the records that are not calls.
func (s *State) readEntries(records [][]byte) error {
	for i, r := range records {
		var err error
		switch {
		case len(r) > 0 && r[0] == callRecord:
		case len(r) > 0 && r[0] == successRecord:
			var e successEntry
			err = json.Unmarshal(r[1:], &e)
			s.saved.succeed(e.Key, e.How)
		case len(r) > 0 && r[0] == cutRecord:
			var e cutEntry
			err = json.Unmarshal(r[1:], &e)
			s.saved.Cuts[e.Key] = e.Sum
		case len(r) > 0 && r[0] == skipRecord:
			var e skipEntry
			err = json.Unmarshal(r[1:], &e)
			s.saved.skip(&e)
		default:
			err = errors.New("of no known kind")
		}
		if err != nil {
			return fmt.Errorf("%s: record %d: %w", s.dir, i+1, err)
		}
	}
	return nil
}

// rebuild makes the Core of a snapshot and replays the recorded calls on it. It returns nil if no
// cluster has begun. The functions of cfg become the Core's, but are not called during the replay.
func (s *State) rebuild(cfg scheduling.Config, snapshot []byte, records [][]byte) (*scheduling.Core, error) {
	var from saved
	if err := json.Unmarshal(snapshot, &from); err != nil {
		return nil, fmt.Errorf("%s: the snapshot: %w", s.dir, err)
	}
	if from.Policy == nil {
		return nil, nil
	}
	silent, as := true, from.Config
	as.LoadManager, as.TaskSelector, as.Parts = cfg.LoadManager, cfg.TaskSelector, cfg.Parts
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
		err = core.Restore(from.Facts)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: the snapshot: %w", s.dir, err)
	}
	var log bytes.Buffer
	for _, r := range records {
		if r[0] == callRecord {
			log.Write(r[1:])
		}
	}
	if err := core.Replay(&log); err != nil {
		return nil, fmt.Errorf("%s: another version of tarry has written it: %w", s.dir, err)
	}
	silent = false
	return core, nil
}

// Fresh reports whether the State is empty: Begin has never been called.
func (s *State) Fresh() bool { return s.About() == nil }

// About returns what this process or an earlier one passed to Begin.
func (s *State) About() json.RawMessage {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.saved.About
}

// Begin records, in a fresh State, what it is used for, as JSON; callers use it to recognize the
// State later. It is on the disk when Begin returns.
func (s *State) Begin(about json.RawMessage) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.saved.About = about
	return s.snapshot()
}

// Token returns the token with which to make the output of the job with that key resumable; see
// [mapreduce.Destination.Resumable].
func (s *State) Token(key string) string { return s.saved.ID + " " + key }

// Succeeded reports whether, and how, the job with that key has succeeded.
func (s *State) Succeeded(key string) (how Succeeded, yes bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	how, yes = s.saved.Succeeded[key]
	return how, yes
}

// Close unlocks the directory; call it after the cluster is closed. Its error includes earlier
// write errors.
func (s *State) Close() error { return s.journal.Close() }

// snapshot writes the saved state; the caller holds mu.
func (s *State) snapshot() error {
	b, err := json.Marshal(&s.saved)
	if err != nil {
		return err
	}
	return s.journal.Snapshot(b)
}

// begin makes the Core of a cluster that continues from the saved state with the current cfg and
// policy.
func (s *State) begin(cfg scheduling.Config, policy scheduling.Policy, facts scheduling.Facts) (*scheduling.Core, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.saved.Policy, s.saved.Config, s.saved.Facts = &policy, cfg, facts
	if err := s.snapshot(); err != nil {
		return nil, err
	}
	b, err := json.Marshal(&s.saved) // the same bytes that a reader will load
	if err != nil {
		return nil, err
	}
	return s.rebuild(cfg, b, nil)
}

// again rebuilds the Core of the running cluster.
func (s *State) again(cfg scheduling.Config) (*scheduling.Core, error) {
	snapshot, records, err := s.journal.Read()
	if err != nil {
		return nil, err
	}
	return s.rebuild(cfg, snapshot, records)
}

// append writes a record. The first write error is logged; jobs continue, and a later process finds
// the state as if this one had been killed then.
func (s *State) append(kind byte, v any, log *slog.Logger) {
	b, err := json.Marshal(v)
	if err == nil {
		err = s.journal.Append(append([]byte{kind}, b...))
	}
	s.tell(err, log)
}

// sync forces appended records to the disk.
func (s *State) sync(log *slog.Logger) { s.tell(s.journal.Sync(), log) }

func (s *State) tell(err error, log *slog.Logger) {
	if err != nil && !s.broken.Swap(true) {
		log.Error("the state is not kept any more", "dir", s.dir, "err", err)
	}
}

// record appends a call of the Core to the log.
func (s *State) record(call *calls.Call, log *slog.Logger) {
	if !s.stopped.Load() && !s.broken.Load() {
		s.append(callRecord, call, log)
	}
}

// succeed records, on the disk, that a job has succeeded and its output is complete.
func (s *State) succeed(key string, how Succeeded, log *slog.Logger) {
	s.mu.Lock()
	s.saved.succeed(key, how)
	s.append(successRecord, successEntry{key, how}, log)
	s.mu.Unlock()
	s.sync(log) // without the lock, together with other appends
}

// cut records how a job's input is split, and reports whether it was split the same way before.
func (s *State) cut(key string, splits []cluster.Split, log *slog.Logger) (same bool) {
	h := fnv.New64a()
	for _, x := range splits {
		fmt.Fprintln(h, x.Source, x.Offset, x.Length, x.Files)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	was, known := s.saved.Cuts[key]
	if known && was == h.Sum64() {
		return true
	}
	s.saved.Cuts[key] = h.Sum64()
	s.append(cutRecord, cutEntry{key, h.Sum64()}, log)
	return false
}

// skip records what a map has skipped, replacing its earlier list, and reports whether it wrote
// anything.
func (s *State) skip(key string, m int32, list []cluster.Skipped, log *slog.Logger) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(list) == 0 && len(s.saved.Skips[key][m]) == 0 {
		return false
	}
	e := skipEntry{key, m, list}
	s.saved.skip(&e)
	s.append(skipRecord, &e, log)
	return true
}

// skips returns a copy of the records that the maps of a job have skipped, by map.
func (s *State) skips(key string) map[int32][]cluster.Skipped {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.saved.Skips[key])
}
