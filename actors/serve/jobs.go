package serve

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"sync"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/actors/serve/api"
	"github.com/tarry-mr/tarry/dfs"
	"github.com/tarry-mr/tarry/internal/scratch"
	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/counter"
	"github.com/tarry-mr/tarry/scheduling"
)

// job is a submitted job. Fields above mu do not change once it is in the table, but for Kill and
// End of the record, which mu guards.
type job struct {
	record
	output  string // output as the client named it
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

	mu       sync.Mutex
	order    Order
	src      []mapreduce.Source // until the first stage takes them
	handle   *actors.JobHandle  // handle of the running stage; nil between stages
	stages   []api.Stage        // ended stages
	cores    []scheduling.JobID // cluster jobs of all stages that have begun
	counters *counter.Set
	between  *scratch.Item        // data between stages of a server without a State; nil: none
	stored   map[string]*dfs.Sums // files of the block store that it has written
}

// table holds all jobs of the server that are remembered.
type table struct {
	mu         sync.Mutex
	next       int64
	list       []*job // by id
	keys       keys
	targets    map[string]*job // outputs of unfinished jobs
	unfinished int
	limits     limits
}

// find returns the job with that number.
func (t *table) find(id int64) (*job, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	at, found := t.at(id)
	if !found {
		return nil, refuse("not-found", "there is no job %d", id)
	}
	return t.list[at], nil
}

// at returns the job's index in the list. The caller holds mu.
func (t *table) at(id int64) (int, bool) {
	return slices.BinarySearchFunc(t.list, id, func(j *job, id int64) int { return cmp.Compare(j.ID, id) })
}

// add numbers a job and occupies its output.
func (t *table) add(j *job) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.unfinished >= t.limits.unfinished {
		return refuse("too-many-jobs", "%d jobs have not ended; try again later", t.unfinished)
	}
	for at := j.target; ; at = filepath.Dir(at) {
		if other := t.targets[at]; other != nil {
			within := map[bool]string{false: "in "}[at == j.target]
			return refuse("output-exists", "%s is %sthe output of job %d", j.output, within, other.ID)
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	j.ID = t.next
	t.next++
	t.occupy(j)
	return nil
}

// occupy counts a job that has not ended, and reserves its output. The caller holds mu.
func (t *table) occupy(j *job) {
	t.unfinished++
	t.targets[j.target] = j
}

// leave reverts occupy. The caller holds mu.
func (t *table) leave(j *job) {
	t.unfinished--
	if t.targets[j.target] == j {
		delete(t.targets, j.target)
	}
}

// drop reverts add.
func (t *table) drop(j *job) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.leave(j)
}

// insert lists a job, whose submission is on disk.
func (t *table) insert(j *job) {
	t.mu.Lock()
	defer t.mu.Unlock()
	at, _ := t.at(j.ID)
	t.list = slices.Insert(t.list, at, j)
	if j.Key != "" {
		t.keys.begin(j)
	}
	if j.End != nil {
		t.keys.end(j.Key, j.End.State, j.End.At)
	}
}

// finish marks a job as ended and forgets the oldest ended jobs.
func (t *table) finish(j *job) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.leave(j)
	t.keys.end(j.Key, j.End.State, j.End.At)
	t.forget()
}

// forget removes the oldest ended jobs beyond the history. The caller holds mu.
func (t *table) forget() {
	const slack = 100 // avoids copying a long list for each job
	ended := len(t.list) - t.unfinished
	if ended <= t.limits.history+slack {
		return
	}
	t.list = slices.DeleteFunc(t.list, func(j *job) bool {
		if ended <= t.limits.history || !j.over() {
			return false
		}
		ended--
		return true
	})
}

// open returns how many jobs have not ended.
func (t *table) open() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.unfinished
}

// all lists the jobs, the last first.
func (t *table) all() []*job {
	t.mu.Lock()
	defer t.mu.Unlock()
	list := slices.Clone(t.list)
	slices.Reverse(list)
	return list
}

// durable returns what must be on disk of the job.
func (j *job) durable() *record {
	j.mu.Lock()
	defer j.mu.Unlock()
	return new(j.record)
}

// over reports whether the job has ended.
func (j *job) over() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.End != nil
}

// options returns the options with which the job's next stage is submitted, under key.
func (j *job) options(key string) actors.SubmitOptions {
	j.mu.Lock()
	defer j.mu.Unlock()
	o := j.order.options(j.Who)
	o.Key = key
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
	if j.handle = h; len(j.cores) == 0 {
		close(j.begun)
	}
	j.cores = append(j.cores, h.ID())
}

// owns reports whether a cluster job is a stage of this job. While a stage is being passed to the
// cluster, it waits until that is known.
func (j *job) owns(id scheduling.JobID) bool {
	j.submitting.Lock()
	defer j.submitting.Unlock()
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Contains(j.cores, id)
}

// has reports whether the cluster job with that name, as in events, is a stage of this job.
func (j *job) has(stage string) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.ContainsFunc(j.cores, func(id scheduling.JobID) bool { return id.String() == stage })
}

// endStage records the end of the running stage, with its progress and counters.
func (j *job) endStage(res actors.Result) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.stages = append(j.stages, stageOf(j.handle.ID(), j.handle.Progress()))
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
