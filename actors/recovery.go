package actors

import (
	"fmt"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/calls"
	"github.com/tarry-mr/tarry/scheduling/event"
)

// maxPanics is how often one call may panic; the restarted JobTracker gets the call again.
const maxPanics = 3

// newCore makes the JobTracker's Core: a fresh one, one that continues from another process, or one
// that continues from the JobTracker before this one.
func (jt *jobTracker) newCore() error {
	e, policy := jt.env, jt.env.admission.Load().policy
	cfg := scheduling.Config{
		HeartbeatInterval: e.cfg.HeartbeatInterval, Expiry: e.cfg.Expiry, MaxAttempts: e.cfg.MaxAttempts,
		Explain: e.cfg.Explain, Calls: guardCalls(e.cfg.Calls, e.cfg.Logger), Parts: e.cfg.Parts,
		Events: func(ev event.Event) { jt.happened = append(jt.happened, ev) },
	}
	var err error
	if e.cfg.State == nil {
		jt.core, err = scheduling.NewCore(cfg, policy)
		return err
	}
	heard := cfg.Calls
	cfg.Calls = func(call *calls.Call) {
		e.cfg.State.Record(call, e.cfg.Logger)
		if heard != nil {
			heard(call)
		}
		jt.logged = len(jt.happened)
	}
	if jt.continues {
		jt.core, err = e.cfg.State.RebuiltCore(cfg)
		return err
	}
	jt.core, err = e.cfg.State.NewCore(cfg, policy, e.durable)
	return err
}

// continueFromLog rebuilds the Core from the log. If that fails, all jobs fail.
func (jt *jobTracker) continueFromLog() error {
	err := recovered(jt.newCore)
	jt.continues = false
	if err == nil {
		jt.env.cfg.Logger.Warn("the scheduler goes on from its log", "jobs", len(jt.runs))
		return nil
	}
	jt.giveUp(fmt.Errorf("%w; it cannot go on from its log: %w", jt.cause, err))
	if err := jt.newCore(); err != nil {
		return err
	}
	return jt.numberNodes()
}

// callOf names a message, for the count of its panics. A repeated message has the same name.
func callOf(m any) string {
	switch m := m.(type) {
	case *heartbeat:
		return fmt.Sprint("heartbeat of node ", m.beat.Node)
	case *join:
		return "join of " + m.spec.Name
	case *commitRequest:
		return "commit of " + m.attempt.String()
	case *asked:
		if c, ok := m.command.(*leave); ok {
			return fmt.Sprint("leave of node ", c.node)
		}
		return fmt.Sprintf("%T", m.command)
	}
	return fmt.Sprintf("%T", m)
}

// watch, deferred, counts the panics of message m and passes them on. Success resets the count.
func (jt *jobTracker) watch(m any) {
	if p := recover(); p != nil {
		jt.cause = fmt.Errorf("%w: %v", errScheduler, p)
		if jt.panics == nil {
			jt.panics = map[string]int{}
		}
		jt.panics[callOf(m)]++
		jt.unrecoverable = jt.panics[callOf(m)] >= maxPanics
		panic(p)
	}
	if len(jt.panics) > 0 {
		delete(jt.panics, callOf(m))
	}
}

// endLife prepares the ledger for the next JobTracker, or fails all jobs. It drops events whose
// calls are not in the log.
func (jt *jobTracker) endLife() {
	if s := jt.env.cfg.State; s == nil || jt.unrecoverable || !s.Recording() {
		jt.giveUp(jt.cause)
		return
	}
	jt.continues = true
	jt.happened = jt.happened[min(jt.applied, jt.logged):jt.logged]
	jt.applied, jt.logged = 0, len(jt.happened)
}

// commit answers an attempt that asks to commit. With a State the permission is on the disk before
// the answer is sent.
func (jt *jobTracker) commit(c actor.Context, m *commitRequest) {
	a := &commitAnswer{attempt: m.attempt, granted: jt.core.MayCommit(m.attempt)}
	state := jt.env.cfg.State
	if state == nil || !a.granted {
		c.Respond(a)
		return
	}
	to, root := c.Sender(), c.ActorSystem().Root
	jt.env.endings.Go(func() {
		state.Sync(jt.env.cfg.Logger)
		root.Send(to, a)
	})
}

// compact replaces a long log by a snapshot while no job runs: the nodes register again, and
// nothing else is lost.
func (jt *jobTracker) compact() {
	state := jt.env.cfg.State
	if state == nil || len(jt.runs) > 0 || !state.Long() {
		return
	}
	jt.env.durable = jt.core.View().DurableState()
	old := jt.core
	if err := jt.newCore(); err != nil {
		state.Fail(err, jt.env.cfg.Logger)
		jt.core = old
	}
}

// remembered reports whether a later cluster can continue the run: it has a key and a State.
func (r *run) remembered() bool { return r.env.cfg.State != nil && r.key != "" }

// kept lists the tasks whose output an earlier cluster has left, ascending. If the input is split
// differently now, it drops parts written by maps, since they contain other records.
func (r *run) kept() (kept []int32, err error) {
	if !r.remembered() {
		return nil, nil
	}
	same := r.env.cfg.State.Cut(r.key, r.splits, r.env.cfg.Logger)
	job := r.plan.Job()
	tasks := job.Reduces
	if job.MapOnly {
		tasks = len(r.splits)
	}
	if job.Output.Complete() {
		for i := range tasks {
			kept = append(kept, int32(i))
		}
		return kept, nil
	}
	fits := same || !job.MapOnly
	for _, id := range job.Output.Tasks() {
		fits = fits && id.Index < tasks && (id.Kind == cluster.MapKind) == job.MapOnly
		kept = append(kept, int32(id.Index))
	}
	if !fits {
		return nil, isolate(job.Output.DropCommitted)
	}
	return kept, nil
}

// resume passes a job with a key to the Core. The job may continue one of an earlier cluster.
func (jt *jobTracker) resume(m *submit) (id scheduling.JobID, err error) {
	state, now, r := jt.env.cfg.State, jt.env.now(), m.run
	for _, other := range jt.runs {
		if other.key == r.key {
			return 0, fmt.Errorf("actors: %v runs under the key %q", other.id, r.key)
		}
	}
	was := state.Awaited(r.key)
	if was == 0 && len(m.kept) == 0 {
		id, err = jt.core.Submit(now, m.spec)
	} else {
		id, err = jt.core.Resume(now, was, m.spec, m.kept)
	}
	if err != nil {
		return 0, err
	}
	state.Taken(r.key)
	r.mu.Lock()
	defer r.mu.Unlock()
	kind := scheduling.Reduce
	if r.plan.Job().MapOnly {
		kind = scheduling.Map
	}
	r.tally.tasks[kind].Done = len(m.kept)
	if job, err := jt.core.View().Glance(id); err == nil {
		r.submitted = job.Submitted
	}
	return id, nil
}
