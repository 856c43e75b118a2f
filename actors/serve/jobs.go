package serve

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/actors/serve/api"
	"github.com/tarry-mr/tarry/dfs"
	"github.com/tarry-mr/tarry/mapreduce/counter"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/view"
)

// job is a submitted job. Fields above mu do not change once it is in the ledger, but for Inputs,
// Kill, End and Counters of the record, which mu guards.
type job struct {
	record
	root    *root  // that contains the output; nil if it is in the block store
	target  string // the resolved output, to detect jobs with the same output
	resumed bool
	claim   *claim          // on the block store's quota; nil if the output is elsewhere
	ctx     context.Context // ends when the job must end before it has begun
	cancel  context.CancelFunc
	begun   chan struct{} // closed when its first stage begins
	done    chan struct{} // closed when it has ended
	// unusable says why a job of an earlier process cannot continue: its order means nothing now.
	unusable error

	submitting sync.Mutex // held while a stage is passed to the cluster, before mu
	changing   sync.Mutex // held while a change of the record is made, before the ledger's locks

	mu     sync.Mutex
	order  Order
	handle *actors.JobHandle // handle of the running stage; nil between stages
	stages []api.Stage       // ended stages
	pool   string            // pool or queue of the last ended stage

	stored   map[string]*dfs.Sums // the job's files in the block store, set by publish before its end
	counters *counter.Set         // of the ended stages
}

// newJob returns a job that is not in the ledger yet. ended ends when the server closes.
func newJob(ended context.Context, r record) *job {
	j := &job{record: r, counters: cmp.Or(r.Counters, new(counter.Set)), done: make(chan struct{}), begun: make(chan struct{})}
	j.ctx, j.cancel = context.WithCancel(ended)
	return j
}

// now returns a copy of the job's record.
func (j *job) now() record {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.record
}

// killed returns the job's kill request, or nil.
func (j *job) killed() *api.Kill { return j.now().Kill }

// over reports whether the job has ended.
func (j *job) over() bool { return j.now().End != nil }

// keyLife is how long a submission's key is remembered after its job has ended, however many jobs
// have ended since.
const keyLife = 24 * time.Hour

// expired reports whether the job has ended and its key, if it has one, is forgotten.
func (j *job) expired(now time.Time) bool {
	r := j.now()
	return r.End != nil && (r.Key == "" || now.Sub(*r.End.Ended) > keyLife)
}

// change makes a change of the record.
func (j *job) change(r *record) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.Inputs, j.Kill, j.End, j.Counters = r.Inputs, r.Kill, r.End, r.Counters
	if j.End != nil {
		j.order, j.counters = Order{}, j.Counters
	}
}

// options returns the options with which the job's next stage is submitted, under key.
func (j *job) options(key string) actors.SubmitOptions {
	j.mu.Lock()
	defer j.mu.Unlock()
	o := j.order.SubmitOptions
	o.User, o.Groups, o.Key = j.Who.User, j.Who.Groups, key
	return o
}

// running returns the handle of the running stage, or nil.
func (j *job) running() *actors.JobHandle {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.handle
}

// begin records the running stage.
func (j *job) begin(h *actors.JobHandle) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.handle = h; len(j.stages) == 0 {
		close(j.begun)
	}
}

// owns reports whether a cluster job is a stage of this job. While a stage is being passed to the
// cluster, it waits until that is known.
func (j *job) owns(id scheduling.JobID) bool {
	j.submitting.Lock()
	defer j.submitting.Unlock()
	return j.has(id.String())
}

// has reports whether the cluster job with that name, as in events, is a stage of this job.
func (j *job) has(stage string) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.handle != nil && j.handle.ID().String() == stage ||
		slices.ContainsFunc(j.stages, func(s api.Stage) bool { return s.ID == stage })
}

// endStage records the end of the running stage, with its progress and counters. seen is the
// cluster's view of it.
func (j *job) endStage(res actors.Result, seen view.Job) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.stages = append(j.stages, stageOf(j.handle.ID(), j.handle.Progress()))
	j.pool = cmp.Or(seen.Pool, j.pool)
	j.handle = nil
	j.counters.Merge(res.Counters)
}

// stageOf returns a stage in the JSON form of the API.
func stageOf(id scheduling.JobID, p actors.Progress) api.Stage {
	return api.Stage{
		ID: id.String(), MapFraction: p.MapFraction, ReduceFraction: p.ReduceFraction,
		Maps: api.Tasks(p.Maps), Reduces: api.Tasks(p.Reduces),
		NodeLocal: p.NodeLocal, RackLocal: p.RackLocal, OffRack: p.OffRack + p.AnyPlace,
	}
}
