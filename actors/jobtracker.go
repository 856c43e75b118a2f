package actors

import (
	"fmt"
	"slices"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/tarry-mr/tarry/dfs"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/event"
)

// updateInterval is the time between the Core's periodic updates. With Config.Explain the first
// update after a job arrives at an idle cluster comes after firstUpdate, and the interval then
// doubles up to updateInterval, so that events of short runs include shares.
const (
	updateInterval = 500 * time.Millisecond
	firstUpdate    = 2 * time.Millisecond
)

// jobTracker is the actor that owns the scheduling.Core; nothing else calls it. The Core's
// decisions are actions for the node that sent a heartbeat, and events, from which the JobTracker
// updates the runs. State that survives a panic is in the ledger.
type jobTracker struct {
	env  *env
	core *scheduling.Core
	*ledger

	alarm                       // for the next update
	busy          time.Duration // time since which there have been jobs
	patient       time.Duration // until this time no node expires
	unrecoverable bool          // the current call has panicked maxPanics times: the Core is not rebuilt
}

// ledger is the JobTracker's state outside its Core. It survives a panic: the restarted JobTracker
// continues with it.
type ledger struct {
	nodes []tracked // indexed by scheduling.NodeID
	runs  map[scheduling.JobID]*run

	// State of the current call of the Core:
	happened []event.Event
	applied  int // number of events in happened that settle has applied
	logged   int // number of events in happened whose calls are in the log
	reports  []*report

	// State of panics, see recovery.go:
	cause     error
	panics    map[string]int // number of panics per call, reset when the call succeeds
	continues bool           // the next JobTracker rebuilds its Core from the log
}

func newLedger(nodes int) *ledger {
	return &ledger{nodes: make([]tracked, nodes), runs: map[scheduling.JobID]*run{}}
}

// tracked is what the JobTracker knows of a node besides the Core: its current actor.
type tracked struct {
	pid  *actor.PID
	life uint64 // incarnation
}

// newJobTracker returns a JobTracker that continues with the ledger.
func newJobTracker(e *env, l *ledger) (*jobTracker, error) {
	jt := &jobTracker{env: e, ledger: l}
	if l.continues {
		return jt, jt.continueFromLog()
	}
	if err := jt.newCore(); err != nil {
		return nil, err
	}
	return jt, jt.numberNodes()
}

// numberNodes returns an error unless the Core numbers the nodes as this package does.
func (jt *jobTracker) numberNodes() error {
	for _, p := range jt.env.places {
		if id := jt.core.NodeID(p.name); id != p.id {
			return fmt.Errorf("actors: the Core numbers %s as %d, this cluster as %d", p.name, id, p.id)
		}
	}
	return nil
}

// Messages to the JobTracker; those of programs are commands, see commands.go. A message is a
// pointer to a value that nothing changes after sending, except where a field's comment says so.
// Reply channels are buffered for their answer, so that no actor ever blocks on one.
type (
	// join registers a node; the answer is joined. Repeated until answered.
	join struct {
		spec scheduling.Node
		pid  *actor.PID
	}

	// heartbeat carries a node's statuses and the reports of attempts that ended; the answer is
	// heartbeatAck. Repeated, unchanged, until answered.
	heartbeat struct {
		beat    scheduling.Heartbeat
		reports []*report
	}

	// commitRequest asks whether an attempt may commit; the answer is commitAnswer. The attempt
	// sends it to its Slot, which passes it on.
	commitRequest struct {
		attempt scheduling.AttemptID
	}
)

// Receive implements actor.Actor.
func (jt *jobTracker) Receive(c actor.Context) {
	defer jt.watch(c.Message())
	switch m := c.Message().(type) {
	case *actor.Started:
		jt.arm(c)
		jt.settle(c) // what the ledger still contains
	case *join:
		jt.join(c, m)
	case *heartbeat:
		jt.heartbeat(c, m)
	case *commitRequest:
		jt.commit(c, m)
	case *asked:
		idle := len(jt.runs) == 0
		answer(m, jt)
		if idle && len(jt.runs) > 0 {
			jt.busy = jt.env.now()
			if jt.env.cfg.Explain { // an early update
				jt.alarm.Stop()
				jt.arm(c)
			}
		}
		jt.settle(c)
	case *tick:
		if m == jt.next {
			jt.update()
			jt.arm(c)
			jt.settle(c)
			jt.compact()
		}
	case *actor.Restarting:
		jt.alarm.Stop()
		jt.endLife()
	case *actor.Stopping:
		jt.alarm.Stop()
	}
}

// answer executes a command and sends its error to the caller, or errScheduler if the command
// panics, so that the caller never waits for ever.
func answer(m *asked, jt *jobTracker) {
	err := errScheduler
	defer func() { m.reply <- err }()
	err = m.command.apply(jt)
}

// giveUp fails all jobs, because a panic has left the Core in an unknown state. The next JobTracker
// begins with a fresh Core, and the nodes register with it again.
func (jt *jobTracker) giveUp(cause error) {
	durable := &jt.env.durable
	durable.Now = jt.env.now()
	durable.Active = slices.DeleteFunc(durable.Active, func(j scheduling.DurableJob) bool {
		return jt.env.cfg.State.Awaited(j.Spec.Key) != j.ID // it was resubmitted
	})
	for _, r := range jt.runs {
		r.mu.Lock()
		r.cause = cause
		r.mu.Unlock()
		c := r.total()
		jt.env.endings.Go(func() { r.end(scheduling.JobFailed, c) })
	}
	*jt.ledger = *newLedger(len(jt.env.places))
}

func (jt *jobTracker) arm(c actor.Context) {
	interval := min(updateInterval, jt.env.cfg.Expiry/2)
	if jt.env.cfg.Explain && len(jt.runs) > 0 {
		interval = min(interval, max(firstUpdate, jt.env.now()-jt.busy))
	}
	jt.alarm = jt.env.sys.alarm(c.Self(), interval)
}

func (jt *jobTracker) join(c actor.Context, m *join) {
	if p := jt.env.placeOf(m.spec.Name); p != nil && m.spec.Incarnation < jt.nodes[p.id].life {
		return // a later incarnation has joined already
	}
	id, err := jt.core.Join(jt.env.now(), m.spec)
	if err != nil {
		jt.log("join", err)
		return
	}
	jt.settle(c) // process the loss of the former incarnation first
	jt.nodes[id] = tracked{m.pid, m.spec.Incarnation}
	c.Respond(&joined{node: id, incarnation: m.spec.Incarnation})
	jt.env.places[id].joined.Do(jt.env.joining.Done)
}

func (jt *jobTracker) heartbeat(c actor.Context, m *heartbeat) {
	now := jt.env.now()
	jt.expire(now)
	jt.reports = m.reports
	got, err := jt.core.Heartbeat(now, m.beat)
	if !got.Reregister {
		jt.log("heartbeat", err)
	}
	ack := &heartbeatAck{seq: m.beat.Seq, incarnation: m.beat.Incarnation, reregister: got.Reregister}
	ack.actions = make([]action, 0, len(got.Actions))
	for _, o := range got.Actions {
		r := jt.runs[o.Attempt.Task.Job]
		if r == nil && o.Verb == scheduling.Launch {
			continue // a repeated old answer, for a job that has ended since
		}
		ack.actions = append(ack.actions, action{Action: o, run: r})
	}
	jt.settle(c)
	c.Respond(ack)
	jt.reports = nil
}

// apply passes the job to the Core and registers it.
func (m *submit) apply(jt *jobTracker) error {
	var id scheduling.JobID
	var err error
	if m.run.remembered() {
		id, err = jt.resume(m)
	} else {
		id, err = jt.core.Submit(jt.env.now(), m.spec)
	}
	if err != nil {
		return err
	}
	jt.env.durable.Jobs = max(jt.env.durable.Jobs, id)
	m.run.id = id
	jt.runs[id] = m.run
	jt.env.registry.add(m.run)
	return nil
}

// update expires silent nodes and runs the Core's periodic update.
func (jt *jobTracker) update() {
	now := jt.env.now()
	jt.expire(now)
	jt.log("update", jt.core.Update(now))
}

// expire declares lost the nodes that have been silent for too long. If its own tick is late by a
// heartbeat interval, this process did not run (it was stopped, or the machine slept) and
// heartbeats are still queued: the nodes get two more intervals.
func (jt *jobTracker) expire(now time.Duration) {
	if time.Since(jt.due) >= jt.env.cfg.HeartbeatInterval {
		jt.patient = now + 2*jt.env.cfg.HeartbeatInterval
	}
	if now < jt.core.View().NextExpiry() || now < jt.patient {
		return
	}
	_, err := jt.core.Expire(now)
	jt.log("expire", err)
}

func (jt *jobTracker) log(what string, err error) {
	if err != nil {
		jt.env.cfg.Logger.Error("the scheduler refuses a call", "call", what, "err", err)
	}
}

// settle applies the events of the last calls of the Core, passes each to Config.Events, ends jobs
// that have finished, and pokes nodes that should send a heartbeat.
func (jt *jobTracker) settle(c actor.Context) {
	for ; jt.applied < len(jt.happened); jt.applied++ {
		e := Event{Event: jt.happened[jt.applied]}
		end := jt.apply(c, &e)
		jt.env.tell(&e)
		if end != nil {
			jt.env.endings.Go(end)
		}
	}
	clear(jt.happened)
	jt.happened, jt.applied, jt.logged = jt.happened[:0], 0, 0
	called, open := jt.core.Due()
	for _, list := range [2][]scheduling.NodeID{called, open} {
		for _, id := range list {
			if n := jt.nodes[id]; n.pid != nil {
				c.Send(n.pid, &poke{})
			}
		}
	}
}

// apply changes the run that an event of the Core is about, and completes the event. For a job that
// has finished it returns the function that ends the run.
func (jt *jobTracker) apply(c actor.Context, e *Event) (end func()) {
	r := jt.runs[e.JobID]
	switch e.Type {
	case event.Launched:
		r.launched(e)
	case event.Succeeded:
		jt.succeeded(r, e)
	case event.Failed:
		jt.failed(r, e)
	case event.Killed:
		r.killed(e)
	case event.OutputLost:
		r.outputLost(e.Attempt.Task.Index)
	case event.Lost:
		jt.env.cfg.Logger.Warn("node lost", "node", e.NodeName)
		c.Send(jt.env.nameNode, &nodeLost{node: dfs.NodeID(e.NodeName), life: jt.nodes[e.Node].life})
	case event.Finished:
		return jt.finished(r, e)
	default: // only Config.Events gets these
	}
	return nil
}

func (jt *jobTracker) succeeded(r *run, e *Event) {
	rep := jt.reportOf(e.Attempt)
	if rep == nil {
		panic("actors: " + e.Attempt.String() + " succeeded without a report")
	}
	e.Phases, e.Counters = &rep.phases, rep.counters
	r.succeeded(e, rep, jt.env.places[e.Node])
}

func (jt *jobTracker) failed(r *run, e *Event) {
	rep := jt.reportOf(e.Attempt)
	if rep != nil {
		e.Phases = &rep.phases
	}
	jt.env.cfg.Logger.Warn("attempt failed", "attempt", e.Attempt, "node", e.NodeName, "err", e.Err)
	r.failed(e, rep)
}

// reportOf returns the attempt's report in the current heartbeat, or nil.
func (jt *jobTracker) reportOf(id scheduling.AttemptID) *report {
	for _, r := range jt.reports {
		if r.status.Attempt == id {
			return r
		}
	}
	return nil
}

// finished returns the function that ends a run, which may block.
func (jt *jobTracker) finished(r *run, e *Event) (end func()) {
	if r == nil {
		return nil
	}
	delete(jt.runs, e.JobID)
	state, c := jt.core.View().State(e.JobID), r.total()
	r.judged(e.Err)
	e.Counters = c
	return func() { r.end(state, c) }
}
