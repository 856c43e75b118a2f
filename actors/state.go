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
// another State of this one, has open.
var ErrStateInUse = journal.ErrLocked

// State is a directory that remembers what a cluster was doing, so that another cluster, of another
// process, can go on: put it into [Config].State. It holds the calls of the scheduling.Core since
// the last snapshot, written before they are answered, and the keys of the jobs that succeeded. A
// State serves one cluster. Its methods are safe for concurrent use.
type State struct {
	journal *journal.Journal
	dir     string

	long int64 // bytes of a log that gives way to a snapshot when it can

	mu    sync.Mutex
	saved saved // at the last snapshot, but for what is said there

	facts   scheduling.Facts            // of the former cluster, until this one begins
	awaited map[string]scheduling.JobID // jobs of the former cluster, by key; since then the JobTracker's
	used    atomic.Bool                 // by a cluster
	stopped atomic.Bool                 // the cluster ends: what it still does is not to be remembered
	broken  atomic.Bool                 // what could not be written has been told
}

// saved is a snapshot.
type saved struct {
	ID    string          // of this state, among all
	About json.RawMessage `json:",omitempty"`

	// The Core begins anew with these; Policy is nil before the first cluster.
	Policy *scheduling.Policy
	Config scheduling.Config
	Facts  scheduling.Facts

	// Of jobs that succeeded, how; also what came after the snapshot.
	Succeeded map[string]Succeeded
	// Cuts are sums over the splits of the jobs that have not, by key; also what came after it.
	Cuts map[string]uint64
	// Skips are the records that maps of these jobs have left out, by key and map; also what came
	// after it.
	Skips map[string]map[int32][]cluster.Skipped `json:",omitempty"`
}

// Succeeded is what a State remembers of a job that has succeeded.
type Succeeded struct {
	Name    string
	Elapsed time.Duration // from its submission, without the time in which no cluster ran
}

// succeed takes in that a job has succeeded: the rest is over and done with.
func (s *saved) succeed(key string, how Succeeded) {
	s.Succeeded[key] = how
	delete(s.Cuts, key)
	delete(s.Skips, key)
}

// skip takes in what a map has left out.
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

// What a record begins with says what it is.
const (
	callRecord    = 'c' // a calls.Call
	successRecord = 's'
	cutRecord     = 'k'
	skipRecord    = 'b' // of bad records
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
		List []cluster.Skipped // instead of what the map had left out before
	}
)

// OpenState opens or makes the directory. What a process left that was killed is taken up; a log
// that is damaged, or that this version of the program would not have written, is an error that
// says where.
func OpenState(dir string) (*State, error) { return OpenStateOf(dir, scheduling.Parts{}) }

// OpenStateOf is OpenState for clusters whose policies have parts from outside, Config.Parts: what
// such a cluster has done is found out by having them decide again.
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

// load reads what there is.
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

// read reads a snapshot and the records behind it.
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

// readEntries reads the records that are no calls.
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

// rebuild makes the Core of a snapshot and has it do again what was recorded; nil if no cluster has
// begun. The functions of cfg become the Core's, but hear nothing meanwhile.
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

// Fresh tells whether nothing is remembered yet, not even what Begin says.
func (s *State) Fresh() bool { return s.About() == nil }

// About is what Begin was given, of this process or a former one.
func (s *State) About() json.RawMessage {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.saved.About
}

// Begin says, in a fresh State, what it is about: whatever tells one use of it from another, as
// JSON. It is on the disk when Begin returns.
func (s *State) Begin(about json.RawMessage) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.saved.About = about
	return s.snapshot()
}

// Token is what the output of the job with that key is to be made resumable with, see
// [mapreduce.Destination.Resumable].
func (s *State) Token(key string) string { return s.saved.ID + " " + key }

// Succeeded tells whether, and how, the job with that key has succeeded.
func (s *State) Succeeded(key string) (how Succeeded, yes bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	how, yes = s.saved.Succeeded[key]
	return how, yes
}

// Close gives the directory to others, once the cluster is closed. The error is also of what could
// not be written before.
func (s *State) Close() error { return s.journal.Close() }

// snapshot writes all that is known; the caller holds mu.
func (s *State) snapshot() error {
	b, err := json.Marshal(&s.saved)
	if err != nil {
		return err
	}
	return s.journal.Snapshot(b)
}

// begin makes the Core of a cluster that goes on from what is remembered: cfg and policy are of now.
func (s *State) begin(cfg scheduling.Config, policy scheduling.Policy, facts scheduling.Facts) (*scheduling.Core, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.saved.Policy, s.saved.Config, s.saved.Facts = &policy, cfg, facts
	if err := s.snapshot(); err != nil {
		return nil, err
	}
	b, err := json.Marshal(&s.saved) // as whoever reads it makes it
	if err != nil {
		return nil, err
	}
	return s.rebuild(cfg, b, nil)
}

// again rebuilds the Core of the cluster that runs.
func (s *State) again(cfg scheduling.Config) (*scheduling.Core, error) {
	snapshot, records, err := s.journal.Read()
	if err != nil {
		return nil, err
	}
	return s.rebuild(cfg, snapshot, records)
}

// append writes a record. What cannot be written is told once: the jobs go on, and what a later
// process finds is as if this one had been killed now.
func (s *State) append(kind byte, v any, log *slog.Logger) {
	b, err := json.Marshal(v)
	if err == nil {
		err = s.journal.Append(append([]byte{kind}, b...))
	}
	s.tell(err, log)
}

// sync forces to the disk what was appended.
func (s *State) sync(log *slog.Logger) { s.tell(s.journal.Sync(), log) }

func (s *State) tell(err error, log *slog.Logger) {
	if err != nil && !s.broken.Swap(true) {
		log.Error("the state is not kept any more", "dir", s.dir, "err", err)
	}
}

// record puts a call of the Core on the log.
func (s *State) record(call *calls.Call, log *slog.Logger) {
	if !s.stopped.Load() && !s.broken.Load() {
		s.append(callRecord, call, log)
	}
}

// succeed notes, on the disk, that a job has succeeded and its output is complete.
func (s *State) succeed(key string, how Succeeded, log *slog.Logger) {
	s.mu.Lock()
	s.saved.succeed(key, how)
	s.append(successRecord, successEntry{key, how}, log)
	s.mu.Unlock()
	s.sync(log) // with those of others
}

// cut notes how a job's input is cut, and tells whether it was cut so before.
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

// skip notes what a map has left out, instead of what it had before, and tells whether there was
// anything to note.
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

// skips are the records that the maps of a job have left out, by map; a copy.
func (s *State) skips(key string) map[int32][]cluster.Skipped {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.saved.Skips[key])
}
