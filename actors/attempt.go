package actors

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/counter"
	"github.com/tarry-mr/tarry/scheduling"
)

// attempt is one try at a task in a Slot. Its goroutine runs work. The Slot and the Node control it
// through its context, its gate and its commit channel.
type attempt struct {
	env    *env
	run    *run
	id     scheduling.AttemptID
	at     *place
	tell   func(msg any) // sends to the Slot
	ctx    context.Context
	cancel context.CancelCauseFunc
	gate   gate

	fetcher  *fetcher // set while a reduce is running
	memory   *cluster.Memory
	granted  chan bool // the answer to commitRequest; buffered for one answer
	progress cluster.Progress
	fetched  atomic.Int64 // number of maps whose segments a reduce has
	input    atomic.Int64 // records that a reduce must process; set once it has all segments
	idling   atomic.Bool  // a reduce is waiting for maps
	waited   time.Duration
	computes atomic.Bool       // it holds a compute token
	resting  atomic.Int32      // above 0 while it waits for others
	began    time.Duration     // when it was launched on its node
	hangs    cluster.BadRecord // the record at which the task timeout stopped it, if known

	number atomic.Pointer[string] // number of the goroutine it runs in, for stack traces
	fate   atomic.Int32
	grace  sync.Once // starts abandonAfter once, when the attempt is told to stop
}

func newAttempt(e *env, r *run, id scheduling.AttemptID, at *place) *attempt {
	a := &attempt{env: e, run: r, id: id, at: at, granted: make(chan bool, 1), began: e.now()}
	a.ctx, a.cancel = context.WithCancelCause(context.Background())
	return a
}

// work runs the attempt to its end and reports the result, even if user code panics or ends this
// goroutine.
func (a *attempt) work() {
	r := &report{status: scheduling.Status{Attempt: a.id, State: scheduling.StateKilled}}
	began := a.env.now()
	r.phases.Start = began
	if !a.run.enter(a) {
		if a.settled() {
			a.tell(r)
		}
		return
	}
	var err error
	returned := false
	defer func() {
		if !returned {
			err = a.progress.Exited()
		}
		r.phases.Wait = a.waited
		r.phases.Work = a.env.now() - began - a.waited - r.phases.Read - r.phases.Shuffle - r.phases.Commit
		out := r.output
		a.conclude(r, err)
		counts := a.settled()
		a.cancel(nil)
		if !counts {
			out.Release()
			a.discard()
		}
		a.run.leave(a)
		if counts {
			a.tell(r)
		}
	}()
	err = recovered(func() error { return a.try(r) })
	returned = true
}

// conclude records in the report how the attempt ended, and removes the output of a failed one.
func (a *attempt) conclude(r *report, err error) {
	if cause := context.Cause(a.ctx); err != nil && cause != nil {
		err = placed(cause, err)
	}
	switch {
	case err == nil:
		r.status.State, r.status.Progress = scheduling.StateSucceeded, 1
		return
	case errors.Is(err, errStopped):
	default:
		a.blame(r, err)
		r.status.State, r.status.Err, r.err = scheduling.StateFailed, err.Error(), err
		r.status.Final = cluster.IsPermanent(err) && !a.leftToNext(err)
	}
	a.discard()
	r.counters, r.output = nil, nil
}

// try runs the plan's map or reduce for this attempt and fills in r.
func (a *attempt) try(r *report) error {
	err := a.acquireCompute()
	if err != nil {
		return err
	}
	defer a.releaseCompute()
	if err := a.env.chaos.fails(a.id); err != nil {
		return err
	}
	memory := a.env.memory.Sub()
	defer memory.Close()
	a.memory = memory
	r.counters = new(counter.Set)
	res := cluster.Resources{
		Budget: memory, Pool: a.env.buffers, Spills: a.env.spills, SpillDir: a.env.cfg.SpillDir,
		Host: a.at.name, Pause: a.pause, Progress: &a.progress, Counters: r.counters, Log: a.env.cfg.taskLog,
	}
	if a.id.Task.Kind == scheduling.Map {
		err = a.workMap(r, res)
	} else {
		err = a.workReduce(r, res)
	}
	r.totals = a.totals()
	return err
}

func (a *attempt) workMap(r *report, res cluster.Resources) error {
	if err := a.fetchSplit(r); err != nil {
		return err
	}
	index := int(a.id.Task.Index)
	m := cluster.MapAttempt{Index: index, Try: int(a.id.Try), Split: a.run.splits[index], Resources: res}
	if m.Try >= a.run.firstSkip {
		m.MaxSkips, m.LeaveOut = a.run.maxSkips, a.run.badRecords(a.id.Task.Index)
	}
	out, err := a.run.plan.RunMap(a.ctx, &m)
	if err != nil {
		return err
	}
	a.run.keep(out)
	r.skipped = out.Skipped()
	if err := a.run.maySkip(a.id.Task.Index, r.skipped); err != nil {
		return err
	}
	if a.run.plan.Job().MapOnly {
		return a.commit(r)
	}
	r.output, r.status.OutputBytes = out, out.Sizes()
	return nil
}

func (a *attempt) workReduce(r *report, res cluster.Resources) error {
	began, waited := a.env.now(), a.waited
	f := newFetcher(a, len(a.run.splits))
	a.fetcher = f
	red := cluster.ReduceAttempt{
		Index: int(a.id.Task.Index), Try: int(a.id.Try), Resources: res,
		Next: func(ctx context.Context) (cluster.Segment, error) {
			s, err := f.next(ctx)
			if err != nil {
				a.input.Store(f.records)
				r.phases.Shuffle = a.env.now() - began - (a.waited - waited)
			}
			return s, err
		},
	}
	if err := a.run.plan.RunReduce(a.ctx, &red); err != nil {
		return err
	}
	r.shuffled = f.shuffledBytes
	return a.commit(r)
}

// commit asks the JobTracker for permission and then makes the attempt's output the task's output.
func (a *attempt) commit(r *report) error {
	began := a.env.now()
	defer func() { r.phases.Commit = a.env.now() - began }()
	if err := a.askToCommit(); err != nil {
		return err
	}
	if a.id.Task.Kind == scheduling.Map {
		a.run.rememberSkips(a.id.Task.Index, r.skipped, true)
	}
	err := a.run.plan.Job().CommitTask(a.planID())
	if errors.Is(err, cluster.ErrCommitted) {
		// An attempt on a lost node committed before its report arrived. Both attempts wrote the
		// same bytes.
		a.discard()
		return nil
	}
	return err
}

// askToCommit waits for the JobTracker's permission to commit. It repeats the question until it
// gets an answer, because question or answer may be lost.
func (a *attempt) askToCommit() error {
	defer a.rest()()
	again := time.NewTicker(2 * a.env.cfg.HeartbeatInterval)
	defer again.Stop()
	for {
		a.tell(&commitRequest{attempt: a.id})
		select {
		case granted := <-a.granted:
			if !granted {
				return errStopped
			}
			return nil
		case <-again.C:
		case <-a.ctx.Done():
			return context.Cause(a.ctx)
		}
	}
}

// discard removes the files that the attempt wrote.
func (a *attempt) discard() {
	if err := isolate(func() error { return a.run.plan.Job().AbortTask(a.planID()) }); err != nil {
		a.env.cfg.Logger.Warn("cannot remove the output of an attempt", "attempt", a.id, "err", err)
	}
}

func (a *attempt) planID() mapreduce.AttemptID {
	id := mapreduce.AttemptID{Kind: cluster.MapKind, Index: int(a.id.Task.Index), Try: int(a.id.Try)}
	if a.id.Task.Kind == scheduling.Reduce {
		id.Kind = cluster.ReduceKind
	}
	return id
}

// acquireCompute waits for a compute token; see Config.Parallelism.
func (a *attempt) acquireCompute() error {
	if a.env.computeTokens == nil {
		return context.Cause(a.ctx)
	}
	defer a.rest()()
	began := a.env.now()
	defer func() { a.waited += a.env.now() - began }()
	select {
	case a.env.computeTokens <- struct{}{}:
	case <-a.ctx.Done():
		return context.Cause(a.ctx)
	}
	a.computes.Store(true)
	if a.isAbandoned() {
		a.releaseCompute()
		return context.Cause(a.ctx)
	}
	return nil
}

// releaseCompute returns the attempt's compute token, if it holds one, for another attempt.
func (a *attempt) releaseCompute() {
	if a.computes.CompareAndSwap(true, false) {
		<-a.env.computeTokens
	}
}

// rest marks the attempt as waiting for others, so that the task timeout ignores it, until the
// returned function is called.
func (a *attempt) rest() func() {
	a.resting.Add(1)
	return func() { a.resting.Add(-1) }
}

// pause blocks while the attempt is suspended; meanwhile another attempt may compute.
func (a *attempt) pause(ctx context.Context) error {
	if !a.gate.shut.Load() {
		return nil
	}
	a.releaseCompute()
	defer a.rest()()
	began := a.env.now()
	err := a.gate.wait(ctx)
	a.waited += a.env.now() - began
	if err != nil {
		return err
	}
	return a.acquireCompute()
}

// idle waits until news is closed, ctx ends or `most` has passed (0: no limit). Meanwhile other
// attempts may compute.
func (a *attempt) idle(ctx context.Context, news <-chan struct{}, most time.Duration) error {
	a.releaseCompute()
	defer a.rest()()
	a.memory.Rest()
	defer a.memory.Wake()
	a.idling.Store(true)
	defer a.idling.Store(false)
	var over <-chan time.Time
	if most > 0 {
		over = time.After(most)
	}
	select {
	case <-news:
	case <-over:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return a.acquireCompute()
}

// done returns the completed fraction of the attempt, 0 to 1. For a reduce the shuffle counts one
// third and the records reduced count two thirds.
func (a *attempt) done() float64 {
	if a.id.Task.Kind == scheduling.Reduce {
		if maps := len(a.run.splits); maps > 0 {
			return (float64(a.fetched.Load())/float64(maps) + 2*a.reduced()) / 3
		}
		return 0
	}
	n := a.run.splits[a.id.Task.Index].Length
	if n <= 0 {
		return 0
	}
	return min(float64(a.progress.Bytes.Load())/float64(n), 1)
}

// reduced returns the fraction of a reduce's input that its reduce function has processed, 0 until
// the whole input is known.
func (a *attempt) reduced() float64 {
	n := a.input.Load()
	if n <= 0 {
		return 0
	}
	return min(float64(a.progress.Records.Load())/float64(n), 1)
}

// totals returns what the attempt has read, fetched and spilled so far.
func (a *attempt) totals() totals {
	t := totals{Spilled: a.progress.Spilled.Load()}
	if a.id.Task.Kind == scheduling.Map {
		t.Records, t.Bytes = a.progress.Records.Load(), a.progress.Bytes.Load()
	} else {
		t.Shuffled = a.progress.Bytes.Load()
	}
	return t
}

// String names the attempt and its job.
func (a *attempt) String() string { return fmt.Sprintf("%v of %q", a.id, a.run.name) }

// gate holds a suspended attempt between two records or chunks. The zero gate is open.
type gate struct {
	shut atomic.Bool // so that the attempt can check it cheaply; only hold changes it

	mu      sync.Mutex
	changed chan struct{} // closed when the gate shuts or opens; nil if nobody waits for that
}

// hold shuts or opens the gate.
func (g *gate) hold(shut bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.shut.Swap(shut) != shut && g.changed != nil {
		close(g.changed)
		g.changed = nil
	}
}

// look reports whether the gate is shut, and returns a channel that is closed when that changes.
func (g *gate) look() (shut bool, changed <-chan struct{}) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.changed == nil {
		g.changed = make(chan struct{})
	}
	return g.shut.Load(), g.changed
}

// wait returns when the gate is open or ctx is done.
func (g *gate) wait(ctx context.Context) error {
	for {
		shut, changed := g.look()
		if !shut {
			return context.Cause(ctx)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
