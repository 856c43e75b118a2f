package engine

import (
	"bytes"
	"fmt"
	"slices"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/scheduling/calls"
	"github.com/tarry-mr/tarry/scheduling/event"
	"github.com/tarry-mr/tarry/scheduling/internal/cogrs"
	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// world is a Core with machines, which send it heartbeats as real nodes do, and all that has
// happened. world_steps_test.go has the steps that may happen at random, and world_rules_test.go
// the rules that hold after each.
type world struct {
	t        *rapid.T
	cfg      core.Config
	c        *core.Core
	now      time.Duration
	pace     int // the time between two steps is at most this number of milliseconds
	rounds   int // of heartbeats within which every job ends without faults
	nodes    []model.NodeID
	machines []machine // by NodeID; the last one has slots enough for every task
	lives    uint64
	coming   []model.JobSpec // with small: the jobs to submit
	small    bool            // only these jobs come
	jobs     []jobFacts      // submitted
	tasks    map[model.TaskID]*taskFacts
	missed   []model.LostOutput // outputs that the heartbeat in flight reports as lost
	calm     bool               // machines do not die silently, and no message is lost or doubled
	fixed    bool               // the policy never changes
	switched bool               // it has changed: jobs may have waited under another one
	hears    func(event.Event)  // gets all events, if not nil
	log      bytes.Buffer
	calls    *calls.Writer
}

// machine is a node as the Core's caller. It sends one heartbeat at a time, and resends it
// unchanged until it is answered. After the Core has expired it, it joins with a new incarnation.
type machine struct {
	model.Node
	up       bool
	cordoned bool
	seq      uint64
	held     []onMachine
	sent     *model.Heartbeat // not answered
	late     *model.Heartbeat // a copy of a heartbeat, still in flight
}

// onMachine is an attempt on a machine, which the Core may not know to be in this state.
type onMachine struct {
	model.Status
	granted bool
}

func (a *onMachine) runs() bool { return a.State == model.StateRunning }

func (a *onMachine) ended() bool { return !a.runs() && a.State != model.StateSuspended }

// taskFacts is what has happened to a task, as the Core's events and the machines show it.
type taskFacts struct {
	tries   int // launches
	done    int // successes that count: 0 or 1
	failed  int // failures that machines have seen
	granted int // 1 + the attempt that was last allowed to commit
}

// jobFacts is what has happened to a job: whether it was killed, and whether enough maps were done
// at some time for reduces to start. placedAt and placed are the time and locality of the last
// launch of a map with a place, at first those of the submission.
type jobFacts struct {
	model.JobSpec
	killed, opened bool
	placedAt       time.Duration
	placed         model.Locality
}

// newWorld returns a world of random machines. Heartbeats are so rare that CoGRS checks its
// candidates, and ends waits, after several steps.
func newWorld(t *rapid.T, p model.Policy) *world {
	w := &world{t: t, pace: 2000, rounds: 400, cfg: core.Config{Explain: true, HeartbeatInterval: 10 * time.Second, Expiry: 40 * time.Second, Parts: knownParts()}}
	var nodes []model.Node
	for i := range rapid.IntRange(1, 5).Draw(t, "nodes") {
		nodes = append(nodes, model.Node{Name: fmt.Sprint("n", i), Rack: fmt.Sprint("r", i%2), MapSlots: rapid.IntRange(0, 3).Draw(t, "map"), ReduceSlots: rapid.IntRange(1, 2).Draw(t, "reduce")})
	}
	return w.begin(p, append(nodes, model.Node{Name: "big", MapSlots: 2, ReduceSlots: 2}))
}

// begin makes the Core with its nodes.
func (w *world) begin(p model.Policy, nodes []model.Node) *world {
	w.tasks, w.calls = map[model.TaskID]*taskFacts{}, calls.NewWriter(&w.log)
	w.cfg.Events, w.cfg.Calls = w.event, w.calls.Write
	var err error
	w.c, err = NewCore(w.cfg, p)
	require.NoError(w.t, err)
	for i, n := range nodes {
		w.nodes, w.machines = append(w.nodes, model.NodeID(i)), append(w.machines, machine{Node: n})
		w.join(w.nodes[i])
	}
	return w
}

// replay fails unless a new Core without explanations, which then has policy p, gives the same
// answers to all calls. It reuses refusals (cogrs/skip.go), and the first Core does not: see
// deliver.
func (w *world) replay(p model.Policy) {
	require.NoError(w.t, w.calls.Err())
	cfg := silently(w.cfg)
	cfg.Explain = false
	fresh, err := NewCore(cfg, p)
	require.NoError(w.t, err)
	require.NoError(w.t, ReplayFrom(fresh, &w.log))
	require.Equal(w.t, w.c.View().DurableState(), fresh.View().DurableState(), "after a restart from the log")
}

// silently returns cfg without its call log and events.
func silently(cfg core.Config) core.Config {
	cfg.Calls, cfg.Events = nil, nil
	return cfg
}

// join makes machine n join the Core with a new incarnation.
func (w *world) join(n model.NodeID) {
	m := &w.machines[n]
	w.lives++
	*m = machine{Node: m.Node, up: true, cordoned: m.cordoned, late: m.late}
	m.Incarnation = w.lives
	id, err := w.c.Join(w.now, m.Node)
	require.NoError(w.t, err)
	require.Equal(w.t, n, id)
}

// write returns the next heartbeat of machine n, with all its attempts or only those that have
// ended. If a heartbeat is unanswered, it returns that one.
func (w *world) write(n model.NodeID, all bool) *model.Heartbeat {
	m := &w.machines[n]
	if m.sent != nil {
		return m.sent
	}
	m.seq++
	m.sent = &model.Heartbeat{Node: n, Incarnation: m.Incarnation, Seq: m.seq}
	var held []onMachine
	for _, a := range m.held {
		if all || a.ended() || a.Lost != nil {
			m.sent.Statuses = append(m.sent.Statuses, a.Status)
		}
		if !a.ended() {
			a.Lost = nil
			held = append(held, a)
		}
	}
	m.held = held
	return m.sent
}

// deliver passes a heartbeat to the Core and returns the answer.
func (w *world) deliver(h *model.Heartbeat) model.Answer {
	if r, ok := w.c.Placement[model.Reduce].(*cogrs.Placement); ok {
		clear(r.Waiting)
	}
	for _, s := range h.Statuses {
		w.missed = append(w.missed, s.Lost...)
	}
	answer, err := w.c.Heartbeat(w.now, *h)
	w.missed = nil
	require.NoError(w.t, err)
	return answer
}

// answered makes machine n do what the Core's answer says.
func (w *world) answered(n model.NodeID, answer model.Answer) {
	m := &w.machines[n]
	m.sent = nil
	if answer.Reregister {
		w.join(n)
		return
	}
	for _, o := range answer.Actions {
		at := slices.IndexFunc(m.held, func(a onMachine) bool { return a.Attempt == o.Attempt })
		switch {
		case o.Verb == model.Launch && at < 0:
			m.held = append(m.held, onMachine{Status: model.Status{Attempt: o.Attempt}})
		case at < 0 || m.held[at].ended():
		case o.Verb == model.Kill:
			m.held[at].State = model.StateKilled
		case o.Verb == model.Suspend:
			m.held[at].State = model.StateSuspended
		case o.Verb == model.Resume:
			require.Equal(w.t, model.StateSuspended, m.held[at].State, "%v resumes where it is suspended", o.Attempt)
			m.held[at].State = model.StateRunning
		}
	}
	w.agrees(n)
	for _, s := range w.c.View().IdleReasons(n) {
		require.NotEqual(w.t, model.NoCause, s.Reason.Cause, "an idle slot has a reason")
	}
}
