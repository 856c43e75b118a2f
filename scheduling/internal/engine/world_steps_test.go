package engine

import (
	"slices"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// below draws a number from 0 to n-1.
func (w *world) below(n int, label string) int { return rapid.IntRange(0, n-1).Draw(w.t, label) }

// submit submits a random job, or the next one that is coming.
func (w *world) submit() {
	var s model.JobSpec
	switch {
	case !w.small:
		s = w.drawJob()
	case len(w.coming) == 0:
		return
	default:
		s, w.coming = w.coming[0], w.coming[1:]
	}
	w.jobs = append(w.jobs, jobFacts{JobSpec: s, placedAt: w.now})
	submitAt(w.t, w.c, w.now, s)
}

func (w *world) drawJob() model.JobSpec {
	t := w.t
	s := model.JobSpec{
		Name: "j", User: rapid.SampledFrom([]string{"u", "v"}).Draw(t, "user"), Pool: rapid.SampledFrom([]string{"a", "b", ""}).Draw(t, "pool"),
		Priority: model.Priority(rapid.IntRange(-2, 2).Draw(t, "priority")), Maps: w.below(7, "maps"), Reduces: w.below(4, "reduces"),
		NoSuspend: rapid.Bool().Draw(t, "nosuspend"), MapTime: 3 * time.Second, ReduceTime: 5 * time.Second,
		SlotsPerTask: rapid.SampledFrom([]int{0, 0, 0, 2}).Draw(t, "slots"),
	}
	if len(w.c.Policy.Queues) > 0 {
		s.Queue = rapid.SampledFrom([]string{"a", "b", "default"}).Draw(t, "queue")
	}
	if rapid.Bool().Draw(t, "placed") {
		s.Places.Offsets = []int32{0}
		for range s.Maps {
			for range w.below(3, "replicas") {
				s.Places.Nodes = append(s.Places.Nodes, rapid.SampledFrom(w.nodes).Draw(t, "place"))
			}
			s.Places.Offsets = append(s.Places.Offsets, int32(len(s.Places.Nodes)))
		}
	}
	return s
}

// beat lets the attempts of machine n work and sends its heartbeat. Each attempt ends with a chance
// of `ends` in ten; `fails` in ten of these fail. If fails is above 0 the answer may get lost, or a
// copy of the heartbeat stays in flight.
func (w *world) beat(n model.NodeID, ends, fails int) {
	m := &w.machines[n]
	if !m.up {
		return
	}
	if m.sent == nil {
		for i := range m.held {
			if a := &m.held[i]; a.runs() {
				w.work(a, ends, fails)
			}
		}
	}
	h := w.write(n, fails == 0 || w.below(4, "all") > 0)
	answer := w.deliver(h)
	fate := 9
	if fails > 0 && !w.calm {
		fate = w.below(10, "fate")
	}
	switch fate {
	case 0:
		return // the answer is lost
	case 1:
		m.late = h
	}
	w.answered(n, answer)
	if answer.Reregister {
		w.beat(n, ends, fails)
	}
}

// work lets a running attempt make progress and, perhaps, end.
func (w *world) work(a *onMachine, ends, fails int) {
	id := a.Attempt.Task
	a.Progress, a.ReduceProgress = rapid.SampledFrom([]float64{0, 0.2, 0.5, 0.9}).Draw(w.t, "progress"), 0.5
	if m := w.missing(a); m >= 0 && fails > 0 && w.below(10, "misses") == 0 {
		try := max(0, w.c.Job(id.Job).Work[model.Map].Tasks[m].Won-int32(w.below(2, "replaced")))
		a.Lost = []model.LostOutput{{Map: int32(m), Try: try, Unreachable: w.below(2, "unreachable") == 0}}
	}
	if w.below(10, "end") >= ends {
		return
	}
	switch {
	case w.below(10, "fail") < fails:
		switch w.below(4, "how") {
		case 0:
			a.State = model.StateKilled // it stops by itself
		case 1:
			a.State, a.Blameless = model.StateFailed, true
		default:
			a.State, a.Err = model.StateFailed, "broken"
			w.facts(id).failed++
		}
	case w.commits(id) && !a.granted:
		w.commit(a)
		if a.granted && w.below(2, "commits") == 0 {
			a.State = model.StateSucceeded
		}
	default:
		a.State, a.Progress = model.StateSucceeded, 1
		for range w.jobs[id.Job-1].Reduces * (1 - int(id.Kind)) {
			a.OutputBytes = append(a.OutputBytes, int64(w.below(101, "bytes")))
		}
	}
}

// missing returns the first done map of a reduce's job, whose output it may miss, or -1.
func (w *world) missing(a *onMachine) int {
	j := w.c.Job(a.Attempt.Task.Job)
	if a.Attempt.Task.Kind != model.Reduce || j.State.Ended() {
		return -1
	}
	return slices.IndexFunc(j.Work[model.Map].Tasks, func(t core.Task) bool { return t.State == core.TaskDone })
}

// commit asks the Core whether an attempt may commit. An attempt that may not ends.
func (w *world) commit(a *onMachine) {
	id := a.Attempt
	if !w.c.MayCommit(id) {
		a.State = model.StateKilled
		return
	}
	f := w.facts(id.Task)
	a.granted = true
	if f.done > 0 {
		w.breaks("%v may commit, another attempt has", id)
	}
	other := model.AttemptID{Task: id.Task, Try: int32(f.granted) - 1}
	if _, lives := w.c.View().Attempt(other); other.Try >= 0 && other != id && lives {
		w.breaks("%v may commit, as may try %d, which is alive", id, other.Try)
	}
	f.granted = int(id.Try) + 1
}

// step makes a random call of the Core; ends and fails are as for beat. Without fails, no job is
// killed, no node is lost and the policy stays.
func (w *world) step(ends, fails int) {
	t := w.t
	w.now += time.Duration(w.below(w.pace+1, "ms")) * time.Millisecond
	n := rapid.SampledFrom(w.nodes).Draw(t, "node")
	m, active, faults := &w.machines[n], w.c.View().Active(), fails > 0
	job := func() model.JobID { return rapid.SampledFrom(active).Draw(t, "job") }
	switch what := w.below(24, "what"); {
	case what < 3:
		w.submit()
	case what == 3:
		w.pass(0)
	case what == 4 && len(active) > 0:
		require.NoError(t, w.c.SetPriority(w.now, job(), model.Priority(rapid.IntRange(-2, 2).Draw(t, "priority"))))
	case what == 5 && len(active) > 0 && w.c.Policy.Order == "pools":
		require.NoError(t, w.c.SetPool(w.now, job(), rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "pool")))
	case what == 6 && faults && len(active) > 0:
		id := job()
		w.jobs[id-1].killed = true
		require.NoError(t, w.c.Kill(w.now, id))
	case what == 7 && faults:
		require.NoError(t, w.c.Leave(w.now, n))
	case what == 8:
		_, err := w.c.Preempt(w.now)
		require.NoError(t, err)
	case what == 9 && faults && !w.fixed && w.below(5, "reconfigure") == 0:
		before := w.c.Order
		if err := w.c.Reconfigure(w.now, drawPolicy(t)); err != nil {
			require.ErrorIs(t, err, core.ErrUnknownQueue)
			require.Equal(t, before, w.c.Order, "all or nothing")
		} else {
			w.switched = true
			w.equalPools()
		}
	case what == 10 && faults:
		w.rejoin(n)
	case what == 11 || what == 12:
		w.cordon(n, rapid.Bool().Draw(t, "cordon"))
	case what == 13 && faults && !w.calm:
		*m = machine{Node: m.Node, cordoned: m.cordoned, late: m.late} // it dies
	case what == 14 && m.late != nil:
		answer := w.deliver(m.late) // the Core has answered it, or it is of a former incarnation
		require.False(t, m.late.Seq < m.seq && len(answer.Actions) > 0, "an old heartbeat is answered once more")
		m.late = nil
	default:
		w.beat(n, ends, fails)
	}
	w.check()
}

// rejoin lets a machine restart, perhaps in another rack.
func (w *world) rejoin(n model.NodeID) {
	m := &w.machines[n]
	if !w.small {
		m.Rack = rapid.SampledFrom([]string{m.Rack, "r0", "r1"}).Draw(w.t, "rack")
	}
	w.join(n)
}

func (w *world) cordon(n model.NodeID, to bool) {
	w.machines[n].cordoned = to
	require.NoError(w.t, w.c.Cordon(w.now, n, to))
}

// pass lets d pass and performs the JobTracker's periodic work.
func (w *world) pass(d time.Duration) {
	w.now += d
	_, err := w.c.Expire(w.now)
	require.NoError(w.t, err)
	require.NoError(w.t, w.c.Update(w.now))
	for _, n := range w.c.Nodes {
		if n.Live && w.now-n.Seen >= w.cfg.Expiry {
			w.breaks("%s has been silent for %v and is not lost", n.Name, w.now-n.Seen)
		}
	}
}

// finish stops all faults, and checks that every job ends: the last machine returns, the others
// keep their state.
func (w *world) finish() {
	w.t.Logf("no more faults")
	last := w.nodes[len(w.nodes)-1]
	w.rejoin(last)
	w.cordon(last, false)
	for round := 0; len(w.c.View().Active()) > 0; round++ {
		require.Less(w.t, round, w.rounds, "every job ends once faults stop: %+v", w.c.Policy)
		w.pass(time.Second)
		for _, n := range w.nodes {
			w.beat(n, 10, 0)
		}
		w.check()
	}
}
