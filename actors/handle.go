package actors

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/counter"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/access"
)

var (
	// ErrJobFailed is wrapped by the error of a job whose task failed too often or whose output
	// could not be committed. That error wraps the cause too.
	ErrJobFailed = errors.New("job failed")

	// ErrJobKilled is wrapped by the error of a job that was killed.
	ErrJobKilled = errors.New("job killed")

	// ErrClosed is returned by methods of a Cluster that is closed or draining.
	ErrClosed = errors.New("actors: the cluster is closed")
)

// errScheduler is wrapped by the error of jobs that failed because the scheduler panicked, which is
// a bug of Tarry.
var errScheduler = errors.New("actors: the scheduler panicked")

// Result describes how a job ended.
type Result struct {
	ID        scheduling.JobID
	Name      string
	State     scheduling.JobState
	Counters  *counter.Set      // as far as it got, if the job failed
	Submitted time.Duration     // since the cluster's start
	Elapsed   time.Duration     // from Submit to the commit of the output
	Err       error             // nil if the job succeeded
	Skipped   []cluster.Skipped // set if the job succeeded, in order; see SubmitOptions.MaxSkips
}

// JobHandle is a submitted job. Its methods are safe for concurrent use, even after the job and the
// Cluster have ended.
type JobHandle struct {
	cluster *Cluster
	run     *run
}

// ID returns the job's number on its cluster.
func (h *JobHandle) ID() scheduling.JobID { return h.run.id }

// Wait waits until the job has ended and its output is committed or removed. It returns the job's
// result and, unless it succeeded, an error that wraps ErrJobFailed or ErrJobKilled. If ctx ends
// first, Wait returns the state JobRunning and ctx's error and cause, and the job continues.
func (h *JobHandle) Wait(ctx context.Context) (Result, error) {
	select {
	case <-h.run.done:
	case <-ctx.Done():
	}
	select {
	case <-h.run.done:
		return h.run.result, h.run.result.Err
	default:
		return Result{ID: h.run.id, Name: h.run.name, State: scheduling.JobRunning}, ending(ctx)
	}
}

// waitOrKill waits for the job's end, and kills the job if ctx ends first.
func (h *JobHandle) waitOrKill(ctx context.Context) (Result, error) {
	select {
	case <-h.run.done:
	case <-ctx.Done():
		if err := h.kill(ending(ctx)); err != nil {
			return Result{}, err
		}
	}
	return h.Wait(context.WithoutCancel(ctx))
}

// ending returns why ctx ended: its error, and its cause if that differs.
func ending(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if errors.Is(cause, err) {
		return cause
	}
	return fmt.Errorf("%w: %w", err, cause)
}

// Kill ends the job. Its attempts stop at their next record and its output is removed; then Wait
// returns. Killing a job that has ended returns nil.
func (h *JobHandle) Kill(reason string) error {
	if reason == "" {
		return h.kill(nil)
	}
	return h.kill(errors.New(reason))
}

// kill ends the job; the job's error wraps reason.
func (h *JobHandle) kill(reason error) error {
	err := h.cluster.ask(&killJob{h.run, reason})
	if errors.Is(err, ErrClosed) {
		return nil // Close has killed it
	}
	return err
}

// SetPriority changes the job's priority.
func (h *JobHandle) SetPriority(p scheduling.Priority) error {
	return h.cluster.ask(&setPriority{h.run, p})
}

// SetPool moves the job to another pool or queue for a user. Config.Rules, if given, must let them
// administer the job in its current pool and submit to the new one.
func (h *JobHandle) SetPool(who access.Principal, name string) error {
	return h.cluster.ask(&setPool{h.run, who, name})
}

// Progress tells how far a job had come at one moment.
type Progress struct {
	State   scheduling.JobState // JobRunning until it has ended
	Elapsed time.Duration       // since Submit, or from Submit to the end

	// Completed fractions of all maps and of all reduces, 0 to 1. A running map counts by the bytes
	// it has read. A running reduce counts one third for its shuffle and two thirds for the records
	// reduced.
	MapFraction    float64
	ReduceFraction float64

	Maps    TaskCounts
	Reduces TaskCounts

	Records    int64 // input records read; 0 if the input is chunks
	Bytes      int64 // input bytes read, of InputBytes
	InputBytes int64 // 0 if unknown
	Shuffled   int64 // bytes fetched by reduces
	Spilled    int64 // bytes written to spill files

	// Launched maps by locality: node-local, rack-local, off-rack, and maps whose input has no
	// location.
	NodeLocal, RackLocal, OffRack, AnyPlace int
}

// TaskCounts counts the tasks, and attempts, of one kind.
type TaskCounts struct {
	Total   int
	Done    int
	Running int // attempts launched and not ended, including suspended ones
	Failed  int // attempts
	Killed  int // attempts
}

// Progress returns how far the job has come.
func (h *JobHandle) Progress() Progress {
	r := h.run
	r.mu.Lock()
	defer r.mu.Unlock()
	t := &r.tally
	p := Progress{
		State: scheduling.JobRunning, Elapsed: r.env.now() - r.submitted, InputBytes: r.inputBytes,
		Maps: t.tasks[scheduling.Map], Reduces: t.tasks[scheduling.Reduce],
		AnyPlace: t.locality[0], NodeLocal: t.locality[1], RackLocal: t.locality[2], OffRack: t.locality[3],
	}
	sums := t.totals
	parts := [2]float64{float64(p.Maps.Done), float64(p.Reduces.Done)}
	for a := range r.live {
		sums.add(a.totals(), 1)
		parts[a.id.Task.Kind] += a.done()
	}
	if p.Maps.Total > 0 {
		p.MapFraction = min(parts[0]/float64(p.Maps.Total), 1)
	}
	if p.Reduces.Total > 0 {
		p.ReduceFraction = min(parts[1]/float64(p.Reduces.Total), 1)
	}
	p.Records, p.Bytes, p.Shuffled, p.Spilled = sums.Records, sums.Bytes, sums.Shuffled, sums.Spilled
	select {
	case <-r.done:
		p.State, p.Elapsed = r.result.State, r.result.Elapsed
	default:
	}
	return p
}

// registry lists the running jobs. It is safe for concurrent use.
type registry struct {
	mu      sync.Mutex
	running []*run // in order of submission
}

func (g *registry) add(r *run) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.running = append(g.running, r)
}

// retire removes an ended run and wakes its waiters. Both happen at once for all observers: a job
// whose Wait has returned is not listed, and a job that is not listed has its result.
func (g *registry) retire(r *run) {
	g.mu.Lock()
	defer g.mu.Unlock()
	close(r.done)
	g.running = slices.DeleteFunc(g.running, func(x *run) bool { return x == r })
}

// runs returns the running jobs.
func (g *registry) runs() []*run {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.running)
}
