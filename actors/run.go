package actors

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/tarry-mr/tarry/actors/state"
	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/counter"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/access"
)

// run is one job on the cluster, from Submit to its end. The JobTracker updates its counts,
// attempts enter and leave, handles read it. mu is held only briefly.
type run struct {
	env    *env
	id     scheduling.JobID // set before any attempt starts
	name   string
	key    string           // in Config.State
	who    access.Principal // the submitter
	plan   *mapreduce.Plan
	splits []cluster.Split

	inputBytes int64

	maxSkips  int // records that may be skipped
	firstSkip int // the first attempt at a map that skips records

	shuffle   *shuffle
	submitted time.Duration
	done      chan struct{}

	mu        sync.Mutex
	tally     tally
	live      map[*attempt]bool // neither ended nor abandoned
	abandoned int               // abandoned attempts that have not ended
	running   sync.WaitGroup    // counts the live attempts; none enters once ended is set
	entered   sync.WaitGroup    // counts the live and the abandoned ones
	outputs   []*cluster.MapOutput
	fixed     int64        // bytes of memory that the job uses from its submission to its end
	sums      *counter.Set // counters of reduces, and of maps in jobs without reduces
	ended     bool         // attempts may not enter any more
	history   map[scheduling.TaskID]*taskHistory
	failing   scheduling.TaskID // the task that failed last; a failed job blames it
	cause     error             // why the job ended, if not because of its tasks
	why       error             // why the job was killed
	result    Result            // set before done is closed
}

// taskHistory is what the attempts at a task have met.
type taskHistory struct {
	failures int
	first    error               // of the failures: later errors may only follow from it
	damaged  int                 // number of attempts ended by a damaged spill
	skipped  []cluster.Skipped   // records skipped by a map that is done
	bad      []cluster.BadRecord // records on which attempts at a map did not return
}

// historyOf returns the history of a task. The caller holds mu.
func (r *run) historyOf(t scheduling.TaskID) *taskHistory {
	if r.history[t] == nil {
		r.history[t] = new(taskHistory)
	}
	return r.history[t]
}

func (r *run) mapHistory(m int32) *taskHistory {
	return r.historyOf(scheduling.TaskID{Job: r.id, Kind: scheduling.Map, Index: m})
}

// totals are sums over attempts.
type totals struct {
	Records  int64 // input records of maps
	Bytes    int64 // input bytes of maps
	Shuffled int64 // bytes fetched by reduces
	Spilled  int64 // bytes written to spill files
}

// add adds o, or removes it if times is -1.
func (t *totals) add(o totals, times int64) {
	t.Records += times * o.Records
	t.Bytes += times * o.Bytes
	t.Shuffled += times * o.Shuffled
	t.Spilled += times * o.Spilled
}

// tally holds the JobTracker's counts of a run, by task kind.
type tally struct {
	tasks    [2]TaskCounts
	launched [2]int
	locality [4]int // launched maps: without location, node-local, rack-local, off-rack
	shuffled [distances]int64
	time     [2]time.Duration // slot time of attempts that ended with a report
	totals   totals           // sums over attempts that succeeded and whose output is not lost
}

func newRun(e *env, p *mapreduce.Plan) *run {
	return &run{
		env: e, name: p.Job().Name, plan: p, inputBytes: p.Job().InputBytes(), done: make(chan struct{}),
		live: map[*attempt]bool{}, history: map[scheduling.TaskID]*taskHistory{}, sums: new(counter.Set),
	}
}

// enter counts an attempt as live; it returns false if the job is over.
func (r *run) enter(a *attempt) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended {
		return false
	}
	r.live[a] = true
	r.running.Add(1)
	r.entered.Add(1)
	return true
}

// leave is the last call of an ended attempt: the job may then free its output and memory.
func (r *run) leave(a *attempt) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.live[a] {
		delete(r.live, a)
		r.running.Done()
	} else {
		r.abandoned--
	}
	r.entered.Done()
}

// abandon lets the job end although the attempt, which does not stop, still uses its memory.
func (r *run) abandon(a *attempt) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.live[a] {
		delete(r.live, a)
		r.abandoned++
		r.running.Done()
	}
}

// keep takes ownership of a map's output until the job has ended.
func (r *run) keep(out *cluster.MapOutput) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.outputs = append(r.outputs, out)
}

func (r *run) launched(e *Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	k := e.Attempt.Task.Kind
	r.tally.launched[k]++
	r.tally.tasks[k].Running++
	if k == scheduling.Map {
		r.tally.locality[min(e.Locality, scheduling.OffRack)-scheduling.AnyPlace]++
	}
}

// succeeded records the output and counts of an attempt that succeeded.
func (r *run) succeeded(e *Event, rep *report, at *place) {
	id := e.Attempt.Task
	shuffles := id.Kind == scheduling.Map && !r.plan.Job().MapOnly
	if shuffles {
		r.shuffle.publish(id.Index, mapOutput{
			out: rep.output, try: e.Attempt.Try, at: at, counters: rep.counters, totals: rep.totals,
		})
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	t := &r.tally
	t.tasks[id.Kind].Done++
	t.tasks[id.Kind].Running--
	t.time[id.Kind] += e.At - rep.phases.Start
	t.totals.add(rep.totals, 1)
	if id.Kind == scheduling.Map && r.maxSkips > 0 {
		r.mapHistory(id.Index).skipped = rep.skipped
	}
	if shuffles {
		r.rememberSkips(id.Index, rep.skipped, false)
		return
	}
	r.sums.Merge(rep.counters)
	for d, n := range rep.shuffled {
		t.shuffled[d] += n
	}
}

func (r *run) failed(e *Event, rep *report) {
	r.mu.Lock()
	defer r.mu.Unlock()
	k := e.Attempt.Task.Kind
	r.tally.tasks[k].Failed++
	r.tally.tasks[k].Running--
	if rep != nil {
		r.tally.time[k] += e.At - rep.phases.Start
	}
	if rep == nil || rep.err == nil {
		return
	}
	r.noteBad(e.Attempt.Task, rep.err)
	h := r.historyOf(e.Attempt.Task)
	// ErrTooManySkips names the first cause, and ErrPartLost makes Collect and Keep run the job
	// again.
	if h.first == nil || errors.Is(rep.err, cluster.ErrTooManySkips) || errors.Is(rep.err, cluster.ErrPartLost) {
		h.first, h.failures = rep.err, 0
	}
	h.failures++
	r.failing = e.Attempt.Task
}

// judged records why the Core ended the job, unless an attempt's error says more.
func (r *run) judged(why string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	told := r.historyOf(r.failing).first != nil && strings.Contains(why, r.failing.String())
	if r.cause == nil && why != "" && !told {
		r.cause = errors.New(why)
	}
}

func (r *run) killed(e *Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	k := e.Attempt.Task.Kind
	r.tally.tasks[k].Killed++
	r.tally.tasks[k].Running--
}

func (r *run) outputLost(m int32) {
	lost := r.shuffle.withdraw(m)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tally.tasks[scheduling.Map].Done--
	r.mapHistory(m).skipped = nil
	r.tally.totals.add(lost.totals, -1)
}

// endGrace is how long the end of a job waits for nodes to stop its attempts before it stops them
// itself, and how much longer Close waits for jobs to end.
const endGrace = 5 * time.Second

// total returns the sum of all counters, including Hadoop's job counters.
func (r *run) total() *counter.Set {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := new(counter.Set)
	c.Merge(r.sums)
	for i := range r.shuffle.outputs { // only the JobTracker, which calls this, writes outputs
		c.Merge(r.shuffle.outputs[i].counters)
	}
	t := &r.tally
	for _, n := range []struct {
		group, name string
		value       int64
	}{
		{counter.GroupJob, "Launched map tasks", int64(t.launched[0])},
		{counter.GroupJob, "Launched reduce tasks", int64(t.launched[1])},
		{counter.GroupJob, "Data-local map tasks", int64(t.locality[1])},
		{counter.GroupJob, "Rack-local map tasks", int64(t.locality[2])},
		{counter.GroupJob, "Other local map tasks", int64(t.locality[3] + t.locality[0])},
		{counter.GroupJob, "Failed map tasks", int64(t.tasks[0].Failed)},
		{counter.GroupJob, "Failed reduce tasks", int64(t.tasks[1].Failed)},
		{counter.GroupJob, "Killed map tasks", int64(t.tasks[0].Killed)},
		{counter.GroupJob, "Killed reduce tasks", int64(t.tasks[1].Killed)},
		{counter.GroupJob, "Total time spent by all map tasks (ms)", t.time[0].Milliseconds()},
		{counter.GroupJob, "Total time spent by all reduce tasks (ms)", t.time[1].Milliseconds()},
		{"CoGRS", "Node-local shuffle bytes", t.shuffled[0]},
		{"CoGRS", "Rack-local shuffle bytes", t.shuffled[1]},
		{"CoGRS", "Off-rack shuffle bytes", t.shuffled[2]},
	} {
		if n.value != 0 {
			c.AddNamed(n.group, n.name, n.value)
		}
	}
	return c
}

// end commits or removes the job's output, frees its memory and wakes its waiters. It runs in its
// own goroutine. It waits for the job's attempts, which their nodes stop; attempts of lost nodes it
// stops itself. Attempts that ignore the stop are abandoned, and their memory is freed when they
// end.
func (r *run) end(state scheduling.JobState, c *counter.Set) {
	r.close(state == scheduling.JobSucceeded)
	grace := time.AfterFunc(endGrace, func() { r.close(true) })
	r.running.Wait()
	grace.Stop()
	skipped, err := r.skips()
	if err != nil && state == scheduling.JobSucceeded {
		state = scheduling.JobFailed
	}
	if state == scheduling.JobSucceeded {
		err = isolate(func() error {
			if _, err := r.plan.Job().Quarantine(skipped); err != nil {
				return err
			}
			return r.commit()
		})
		if err != nil {
			state = scheduling.JobFailed
			err = fmt.Errorf("commit: %w", err)
		}
	}
	if state != scheduling.JobSucceeded {
		err = errors.Join(r.failure(state, err), isolate(r.drop))
	}
	r.mu.Lock()
	late := r.abandoned > 0
	r.mu.Unlock()
	if !late {
		r.free()
	}
	r.result = Result{
		ID: r.id, Name: r.name, State: state, Counters: c,
		Submitted: r.submitted, Elapsed: r.env.now() - r.submitted, Err: err,
	}
	if err == nil {
		r.result.Skipped = skipped
	}
	r.env.registry.retire(r)
	if late {
		go r.awaitAbandoned(state)
	}
}

// awaitAbandoned waits for the abandoned attempts and then frees the run.
func (r *run) awaitAbandoned(state scheduling.JobState) {
	r.entered.Wait()
	r.free()
	if state != scheduling.JobSucceeded {
		_ = isolate(r.drop) // once more, for what a late attempt may have written
	}
}

// free releases the memory of a run whose attempts have all left.
func (r *run) free() {
	for _, out := range r.outputs {
		out.Release()
	}
	r.outputs, r.shuffle = nil, nil
	r.env.memory.Fix(-r.fixed)
	r.fixed = 0
}

// close admits no more attempts and, if stop is set, stops the live ones.
func (r *run) close(stop bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended = true
	for a := range r.live {
		if stop {
			a.stop(errStopped)
		}
	}
}

// failure returns the error of a job that did not succeed. For a task that failed several times it
// reports the first failure, since later ones may only follow from it.
func (r *run) failure(state scheduling.JobState, err error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if state == scheduling.JobKilled {
		if r.why == nil {
			return fmt.Errorf("%w: %v %q", ErrJobKilled, r.id, r.name)
		}
		return fmt.Errorf("%w: %v %q: %w", ErrJobKilled, r.id, r.name, r.why)
	}
	h := r.historyOf(r.failing)
	switch err = cmp.Or(err, r.cause); {
	case err != nil:
	case h.first == nil:
		return fmt.Errorf("%w: %v %q", ErrJobFailed, r.id, r.name)
	case h.failures > 1:
		err = fmt.Errorf("%v failed %d times, first so: %w", r.failing, h.failures, h.first)
	default:
		err = fmt.Errorf("%v: %w", r.failing, h.first)
	}
	return fmt.Errorf("%w: %v %q: %w", ErrJobFailed, r.id, r.name, err)
}

// commit completes the output. It records the job's success before the output stops being
// resumable.
func (r *run) commit() error {
	if err := r.plan.CommitJob(); err != nil {
		return err
	}
	if r.remembered() {
		r.env.cfg.State.Succeed(r.key, state.Succeeded{Name: r.name, Elapsed: r.env.now() - r.submitted}, r.env.cfg.Logger)
	}
	return r.plan.Job().Output.ForgetJob()
}

// drop removes the output of a job that has not succeeded, or leaves it to the next cluster if this
// one is stopping.
func (r *run) drop() error {
	if r.remembered() && r.env.cfg.State.Stopped() {
		return r.plan.LeaveJob()
	}
	return r.plan.AbortJob()
}
