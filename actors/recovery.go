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

// estate is what a JobTracker that panicked leaves to the next one. With a State that goes on: the
// Core is made again by replay of all calls that returned.
type estate struct {
	runs    map[scheduling.JobID]*run
	nodes   []*tracked
	joined  func(scheduling.NodeID)
	pending []event.Event // of calls that returned, not taken in
	told    []Event       // taken in, and not told
	reports []*report
	over    []func()
	cause   error
	panics  map[string]int // by call; of those that have not gone well since
}

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
		jt.sure = len(jt.happened)
	}
	if e.estate != nil {
		jt.core, err = e.cfg.State.again(cfg)
		return err
	}
	jt.core, err = e.cfg.State.begin(cfg, policy, e.facts)
	return err
}

// inherit takes over what the JobTracker before this one has left. If its Core cannot be made again
// all jobs fail.
func (jt *jobTracker) inherit() error {
	old := jt.env.estate
	jt.runs, jt.nodes, jt.joined, jt.panics = old.runs, old.nodes, old.joined, old.panics
	for _, r := range jt.runs {
		jt.keys[r.key] = r
	}
	jt.happened, jt.told, jt.reports, jt.over = old.pending, old.told, old.reports, old.over
	jt.sure = len(jt.happened)
	err := recovered(jt.newCore)
	jt.env.estate = nil
	if err == nil {
		jt.env.cfg.Logger.Warn("the scheduler goes on from its log", "jobs", len(jt.runs))
		return nil
	}
	jt.giveUp(fmt.Errorf("%w; it cannot go on from its log: %w", old.cause, err))
	jt.runs, jt.keys = map[scheduling.JobID]*run{}, map[string]*run{}
	jt.happened, jt.told, jt.reports, jt.over, jt.sure = nil, nil, nil, nil, 0
	if err := jt.newCore(); err != nil {
		return err
	}
	return jt.takePlaces()
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

// bequeath leaves all to the next JobTracker, or gives up.
func (jt *jobTracker) bequeath() {
	e := jt.env
	if s := e.cfg.State; s == nil || jt.hopeless || s.broken.Load() || s.stopped.Load() {
		jt.giveUp(jt.cause)
		return
	}
	e.estate = &estate{
		runs: jt.runs, nodes: jt.nodes, joined: jt.joined, panics: jt.panics,
		told: jt.told, reports: jt.reports, over: jt.over, cause: jt.cause,
	}
	if jt.taken < jt.sure {
		e.estate.pending = jt.happened[jt.taken:jt.sure]
	}
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
