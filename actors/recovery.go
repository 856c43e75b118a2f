package actors

import (
	"fmt"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/calls"
	"github.com/tarry-mr/tarry/scheduling/event"
)

const (
	// mostPanics is how often one call may panic: the JobTracker that begins anew is told it again.
	mostPanics = 3
	// longLog is how many bytes of calls are kept at least before a snapshot takes their place.
	longLog = 16 << 20
)

// newCore makes the JobTracker's Core: a fresh one, one that goes on where that of another process
// was, or that of the JobTracker before this one.
func (jt *jobTracker) newCore() error {
	e, policy := jt.env, *jt.env.policy.Load()
	cfg := scheduling.Config{
		HeartbeatInterval: e.cfg.HeartbeatInterval, Expiry: e.cfg.Expiry, MaxAttempts: e.cfg.MaxAttempts,
		Explain: e.cfg.Explain, Calls: guardCalls(e.cfg.Calls, e.cfg.Logger), TaskSelector: e.cfg.selector, Parts: e.cfg.Parts,
		Events: func(ev event.Event) { jt.happened = append(jt.happened, ev) },
	}
	var err error
	if e.cfg.State == nil {
		jt.core, err = scheduling.NewCore(cfg, policy)
		return err
	}
	heard := cfg.Calls
	cfg.Calls = func(call *calls.Call) {
		e.cfg.State.record(call, e.cfg.Logger)
		if heard != nil {
			heard(call)
		}
		jt.logged = len(jt.happened)
	}
	if jt.continues {
		jt.core, err = e.cfg.State.again(cfg)
		return err
	}
	jt.core, err = e.cfg.State.begin(cfg, policy, e.facts)
	return err
}

// goOn makes the Core again from the log. If that cannot be done all jobs fail.
func (jt *jobTracker) goOn() error {
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

// callOf names a message, such that one that is said again has the same name.
func callOf(m any) string {
	switch m := m.(type) {
	case *heartbeat:
		return fmt.Sprint("heartbeat of node ", m.beat.Node)
	case *join:
		return "join of " + m.spec.Name
	case *leave:
		return fmt.Sprint("leave of node ", m.node)
	case *commitRequest:
		return "commit of " + m.attempt.String()
	case *asked:
		return fmt.Sprintf("%T", m.command)
	}
	return fmt.Sprintf("%T", m)
}

// watch notes whether the message at hand goes well.
func (jt *jobTracker) watch(m any) {
	if p := recover(); p != nil {
		jt.cause = fmt.Errorf("%w: %v", ErrScheduler, p)
		if jt.panics == nil {
			jt.panics = map[string]int{}
		}
		jt.panics[callOf(m)]++
		jt.hopeless = jt.panics[callOf(m)] >= mostPanics
		panic(p)
	}
	if len(jt.panics) > 0 {
		delete(jt.panics, callOf(m))
	}
}

// endLife prepares the ledger for the next JobTracker, or fails all jobs. Events of calls that are not
// on the log have not happened.
func (jt *jobTracker) endLife() {
	if s := jt.env.cfg.State; s == nil || jt.hopeless || s.broken.Load() || s.stopped.Load() {
		jt.giveUp(jt.cause)
		return
	}
	jt.continues = true
	jt.happened = jt.happened[min(jt.applied, jt.logged):jt.logged]
	jt.applied, jt.logged = 0, len(jt.happened)
}

// commit answers whether an attempt may commit. With a State the word that it may is on the disk
// before it is said.
func (jt *jobTracker) commit(c actor.Context, m *commitRequest) {
	a := &commitAnswer{attempt: m.attempt, granted: jt.core.MayCommit(m.attempt)}
	state := jt.env.cfg.State
	if state == nil || !a.granted {
		c.Respond(a)
		return
	}
	to, root := c.Sender(), c.ActorSystem().Root
	jt.env.endings.Go(func() {
		state.sync(jt.env.cfg.Logger)
		root.Send(to, a)
	})
}

// compact puts a snapshot in the place of a log that has grown long, while there is no job: the
// nodes register again, and nothing else is lost.
func (jt *jobTracker) compact() {
	state := jt.env.cfg.State
	if state == nil || len(jt.runs) > 0 || state.broken.Load() || state.journal.Size() < state.long {
		return
	}
	jt.env.facts = jt.core.View().Facts()
	old := jt.core
	if err := jt.newCore(); err != nil {
		state.tell(err, jt.env.cfg.Logger)
		jt.core = old
	}
}
