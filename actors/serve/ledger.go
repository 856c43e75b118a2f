package serve

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tarry-mr/tarry/actors/state"
	"github.com/tarry-mr/tarry/dfs"
	"github.com/tarry-mr/tarry/internal/journal"
	"github.com/tarry-mr/tarry/internal/scratch"
)

// ledger is what the server remembers: jobs, keys of submissions, and files of the block store.
// Each change is an entry. With a State the entry is on disk before the change is made, and the
// next process makes all changes again.
type ledger struct {
	limits   limits
	maxBytes int64           // limit of the size of all files; 0: none
	ended    context.Context // ends when the server closes
	log      *slog.Logger

	dir          string           // the State, or that of scratch: stored files, and data between stages
	scratch      *scratch.Item    // nil with a State; then all survives the process
	journal      *journal.Journal // of entries; nil without a State
	core         *state.Dir       // what the cluster remembers; nil without a State
	snapshotSize atomic.Int64     // bytes of the snapshot with which the journal begins
	broken       sync.Once        // a write error has been logged
	sound        sync.Map         // the *dfs.Sums of files that this process has verified completely

	// writing is read-locked from the write of an entry to its change, and write-locked while the
	// journal is replaced: each entry is then in the snapshot or behind it. It is locked before mu.
	writing sync.RWMutex

	mu      sync.Mutex
	next    int64                // number of the next job
	list    []*job               // by number
	keys    map[string]*job      // the last job with each key
	kept    int                  // ended jobs when the list was last shortened
	targets map[string]*job      // unfinished jobs by output
	files   map[string]*dfs.Sums // files of the block store; the sums do not change
	bytes   int64                // total size of files, once the server has started
	coming  int64                // bytes of uploads and outputs in progress: the sum of their claims
}

// newLedger returns an empty ledger.
func newLedger(ended context.Context, cfg *Config) *ledger {
	return &ledger{
		limits: cfg.limits, maxBytes: cfg.StoreBytes, ended: ended, log: cfg.Log, dir: cfg.State, next: 1,
		keys: map[string]*job{}, targets: map[string]*job{}, files: map[string]*dfs.Sums{},
	}
}

// record makes the change of an entry. With a State the entry is on disk first.
func (l *ledger) record(e *entry) error {
	l.writing.RLock()
	defer l.writing.RUnlock()
	err := l.write(e)
	if err == nil || e.anyway {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.apply(e)
	}
	return err
}

// apply makes the change of an entry. The caller holds mu.
func (l *ledger) apply(e *entry) {
	l.next = max(l.next, e.Next)
	for i := range e.Jobs {
		l.put(&e.Jobs[i], e.job)
	}
	for name, sums := range e.Stored {
		l.files[name] = sums
		l.bytes += sums.Size
	}
	if e.Removed != "" {
		maps.DeleteFunc(l.files, func(name string, sums *dfs.Sums) bool {
			if !inside(name, e.Removed) {
				return false
			}
			l.bytes -= sums.Size
			l.sound.Delete(sums)
			return true
		})
	}
	if e.claim != nil {
		e.claim.release()
	}
}

// put lists a job, or changes the record of a listed one: it must be killed, or has ended. j is nil
// unless this process has accepted the job now. The caller holds mu.
func (l *ledger) put(r *record, j *job) {
	was, at := l.at(r.ID)
	switch {
	case was != nil:
		was.change(r)
		if r.End != nil {
			delete(l.targets, was.target)
		}
		return
	case j == nil:
		j = newJob(l.ended, *r)
		j.resumed = true
	}
	l.next = max(l.next, j.ID+1)
	l.list = slices.Insert(l.list, at, j) // concurrent submissions may be written in any order
	if j.Key != "" {
		l.keys[j.Key] = j
	}
}

// at returns the job with that number, or nil, and its index in the list. The caller holds mu.
func (l *ledger) at(id int64) (*job, int) {
	i, found := slices.BinarySearchFunc(l.list, id, func(j *job, id int64) int { return cmp.Compare(j.ID, id) })
	if !found {
		return nil, i
	}
	return l.list[i], i
}

// find returns the job with that number.
func (l *ledger) find(id int64) (*job, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	j, _ := l.at(id)
	if j == nil {
		return nil, refuse("not-found", "there is no job %d", id)
	}
	return j, nil
}

// all lists the jobs, the last first.
func (l *ledger) all() []*job {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := slices.Clone(l.list)
	slices.Reverse(list)
	return list
}

// place numbers a job and reserves its output.
func (l *ledger) place(j *job) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n := len(l.targets); n >= l.limits.unfinished {
		return refuse("too-many-jobs", "%d jobs have not ended; try again later", n)
	}
	for at := j.target; ; at = filepath.Dir(at) {
		if other := l.targets[at]; other != nil {
			within := map[bool]string{false: "in "}[at == j.target]
			return refuse("output-exists", "%s is %sthe output of job %d", j.order.Output, within, other.ID)
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	j.ID = l.next
	l.next++
	l.targets[j.target] = j
	return nil
}

// drop reverts place.
func (l *ledger) drop(j *job) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.targets, j.target)
}

// unfinished returns how many jobs have not ended.
func (l *ledger) unfinished() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.targets)
}

// writer returns an unfinished job that writes to a place of the store, within it or above it; nil
// if there is none.
func (l *ledger) writer(name string) *job {
	target := l.stored(name)
	l.mu.Lock()
	defer l.mu.Unlock()
	for other, j := range l.targets {
		if inside(other, target) || inside(target, other) {
			return j
		}
	}
	return nil
}

// forget drops the oldest ended jobs beyond the history, except those whose key still counts.
func (l *ledger) forget(now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	const slack = 100 // avoids copying a long list for each job
	ended := len(l.list) - len(l.targets)
	if ended <= max(l.kept, l.limits.history)+slack {
		return
	}
	l.list = slices.DeleteFunc(l.list, func(j *job) bool {
		if ended <= l.limits.history || !j.expired(now) {
			return false
		}
		ended--
		if l.keys[j.Key] == j {
			delete(l.keys, j.Key)
		}
		return true
	})
	l.kept = ended
}

// byKey returns the job with a key, or nil.
func (l *ledger) byKey(key string, now time.Time) *job {
	l.mu.Lock()
	defer l.mu.Unlock()
	if j := l.keys[key]; j != nil && !j.expired(now) {
		return j
	}
	return nil
}

// inside reports whether a name is dir or below it.
func inside(name, dir string) bool { return name == dir || strings.HasPrefix(name, dir+"/") }
