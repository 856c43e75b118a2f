package engine

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// No task can launch on a node that Due does not return: the test asks every such node.
func TestDueMissesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPolicy(t)
		p.Order = rapid.SampledFrom([]string{"fair", "srpt"}).Draw(t, "order")
		p.Locality, p.Reduce = model.LocalityPolicy{}, model.ReducePolicy{} // no job waits for time to pass
		p.Spread, p.OneTask, p.HFSP.Reclaim = false, false, model.WaitForSlot
		p.Speculation.SlowNode = 1000 // a node never counts as slow
		w := newWorld(t, p)
		w.fixed, w.calm = true, true
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			w.step(3, 2)
			for _, n := range w.nodes {
				if w.c.Nodes[n].Heard == 0 { // the node has just joined
					w.beat(n, 0, 0)
				}
			}
			for range 100 {
				called, idle := w.c.Due()
				if len(called)+len(idle) == 0 {
					break
				}
				for _, n := range append(slices.Clone(called), idle...) {
					w.beat(n, 0, 0)
				}
			}
			for _, n := range w.nodes {
				answer := w.deliver(w.write(n, true))
				require.Empty(t, answer.Actions, "%s was not due", w.c.View().NodeName(n))
				if !answer.Reregister {
					w.answered(n, answer)
				}
			}
		}
	})
}

// Each reason for which Due returns a node makes it return that node once.
func TestDueNamesNodesOnce(t *testing.T) {
	c, n := newTestCore(t, "fair", nil)
	due := func(called, idle []model.NodeID) {
		t.Helper()
		gotCalled, gotIdle := c.Due()
		require.ElementsMatch(t, called, gotCalled)
		require.ElementsMatch(t, idle, gotIdle)
		gotCalled, gotIdle = c.Due()
		require.Empty(t, gotCalled)
		require.Empty(t, gotIdle)
	}
	due(nil, nil)
	submitAt(t, c, time.Second, model.JobSpec{Maps: 3, Reduces: 1, SlowStart: 1})
	due(nil, n)
	got := beat(t, c, time.Second, n[0])
	require.Len(t, got, 2)
	require.Len(t, beat(t, c, time.Second, n[1]), 1)
	due(nil, nil)
	beat(t, c, time.Second, n[0], model.Status{Attempt: got[0], State: model.StateFailed})
	due(nil, n[1:]) // n[0] runs the rerun map
	require.NoError(t, c.Cordon(time.Second, n[3], true))
	require.NoError(t, c.Leave(2*time.Second, n[1]))
	due(nil, []model.NodeID{n[0], n[2]}) // a map must rerun; n[3] is cordoned
	require.NoError(t, c.Cordon(2*time.Second, n[3], false))
	due(n[3:], nil)
	require.Len(t, beat(t, c, 2*time.Second, n[2]), 1)
	require.NoError(t, c.Kill(3*time.Second, 1))
	due([]model.NodeID{n[0], n[2]}, nil) // for their kills; no task remains to launch
	killed := submitAt(t, c, 3*time.Second, model.JobSpec{Maps: 1})
	require.Len(t, beat(t, c, 3*time.Second, n[0]), 1)
	require.NoError(t, c.Kill(3*time.Second, killed))
	report(t, c, 3*time.Second, n[0])
	due(nil, n[2:]) // these have not been asked since the job came; n[0] has got its kill already

	c, n = newTestCore(t, "fair", nil)
	heard := func() {
		for _, at := range n {
			report(t, c, 0, at)
		}
		c.Due()
	}
	submit(t, c, model.JobSpec{Maps: 2, Reduces: 2, SlowStart: 1})
	maps := beat(t, c, 0, n[0])
	require.Len(t, maps, 2)
	heard()
	beat(t, c, 0, n[0], model.Status{Attempt: maps[0], State: model.StateSucceeded})
	due(nil, nil) // slow start is not over
	join(t, c, model.Node{Name: "n4", Rack: "r2", MapSlots: 1})
	heard()
	c.Nodes[n[3]].Used[model.Map] = 1 // it is full
	report(t, c, 0, n[0], model.Status{Attempt: maps[1], State: model.StateSucceeded})
	due(nil, n[1:3]) // reduces may start; n[0] has been heard of, n[3] has no slot
	c.Nodes[n[3]].Used[model.Map] = 0
	require.NoError(t, c.Cordon(0, n[1], true))
	require.NoError(t, c.Cordon(0, n[1], false))
	require.NoError(t, c.Leave(0, n[1]))
	due(nil, nil) // n[1] was let in again and has gone meanwhile
}

// Under a policy without NeedsProgress, reports of progress do not change a decision.
func TestNeedsProgress(t *testing.T) {
	launches := func(name string, progress [model.Kinds]float64) (order []model.AttemptID) {
		c, nodes := newTestCore(t, name, nil)
		for i := range 6 {
			_, err := c.Submit(0, model.JobSpec{
				Maps: 2, Reduces: 3 + i, User: "u", MapTime: time.Minute, ReduceTime: time.Minute,
			})
			require.NoError(t, err)
		}
		running := map[model.NodeID][]model.AttemptID{}
		for step := range 400 {
			n := nodes[step%len(nodes)]
			var list []model.Status
			for i, id := range running[n] {
				part := progress[id.Task.Kind] / float64(id.Task.Job)
				st := model.Status{Attempt: id, Progress: part, ReduceProgress: part}
				if step%[...]int{7, 31}[id.Task.Kind] == i {
					st.State = model.StateSucceeded
				}
				list = append(list, st)
			}
			got, err := c.Heartbeat(time.Duration(step)*20*time.Second, model.Heartbeat{Node: n, Statuses: list})
			require.NoError(t, err)
			running[n] = running[n][:0]
			for _, st := range list {
				if st.State == model.StateRunning {
					running[n] = append(running[n], st.Attempt)
				}
			}
			for _, o := range got.Actions {
				if o.Verb == model.Launch {
					running[n] = append(running[n], o.Attempt)
					order = append(order, o.Attempt)
				}
			}
		}
		return order
	}
	needs := 0
	for _, name := range Presets() {
		p := policyOf(t, name, nil)
		with := launches(name, [model.Kinds]float64{0.9, 0.9})
		require.Greater(t, len(with), 25)
		for k := range model.TaskKind(model.Kinds) {
			told := [model.Kinds]float64{0.9, 0.9}
			told[k] = 0
			if without := launches(name, told); p.NeedsProgress(k) {
				require.NotEqual(t, with, without, "%s, %v", name, k)
				needs++
			} else {
				require.Equal(t, with, without, "%s, %v", name, k)
			}
		}
	}
	require.Positive(t, needs)
}

// When a job stops avoiding nodes, Due returns those. It does so when few nodes remain, or when it
// would have to avoid many.
func TestDueWhenNoNodeIsAvoidedAnyMore(t *testing.T) {
	for name, happens := range map[string]func(*core.Core){
		"nodes leave": func(c *core.Core) {
			for n := model.NodeID(4); n < 10; n++ {
				c.Due()
				require.NoError(t, c.Leave(c.Now, n))
			}
		},
		"copies fail": func(c *core.Core) {
			for _, n := range []model.NodeID{4, 4, 4, 4, 5, 5, 5, 5} {
				c.Due()
				c.CountFailure(c.Active[0], c.Nodes[n])
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := tenNodes(t, core.Config{MaxAttempts: 9}, model.Avoidance{})
			for n := model.NodeID(4); n < 10; n++ {
				require.NoError(t, c.Cordon(0, n, true))
			}
			submit(t, c, model.JobSpec{Maps: 50})
			failOn(t, c, 3, 4)
			for n := range model.NodeID(4) {
				beat(t, c, 0, n)
			}
			c.Due()
			happens(c)
			_, open := c.Due()
			require.Contains(t, open, model.NodeID(3))
			require.NotEmpty(t, beat(t, c, 0, 3))
		})
	}
}

// Useful is true for a node with a free slot of a kind of which a task waits, or may get a
// speculative attempt. It is true for any node if slots are preempted for waiting tasks.
func TestHeartbeatsUsefulToWaitingTasks(t *testing.T) {
	c, n := newTestCore(t, "fair", nil)
	join(t, c, model.Node{Name: "n2", Rack: "r1", MapSlots: 2})
	useful := func() (list []bool) {
		for _, at := range append([]model.NodeID{model.NoNode}, n...) {
			list = append(list, c.View().Useful(at))
		}
		return list
	}
	require.Equal(t, []bool{false, false, false, false, false}, useful())
	id := submit(t, c, model.JobSpec{Reduces: 1})
	require.Equal(t, []bool{true, true, false, true, true}, useful(), "the second has no slot for reduces")
	require.NoError(t, c.Cordon(0, n[3], true))
	require.Equal(t, []bool{true, true, false, true, false}, useful())
	require.Len(t, beat(t, c, 0, n[0]), 1)
	require.Equal(t, []bool{false, false, false, false, false}, useful())
	c.Slow[model.Reduce] = 1
	require.Equal(t, []bool{true, false, false, true, false}, useful(), "a task to copy")
	c.Slow[model.Reduce] = 0
	require.NoError(t, c.Kill(0, id))

	c, n = newTestCore(t, "hfsp", nil)
	require.Equal(t, []bool{false, false, false, false, false}, useful())
	submit(t, c, model.JobSpec{Maps: 20})
	for _, at := range n {
		require.Len(t, beat(t, c, 0, at), 2)
	}
	require.Equal(t, []bool{true, true, true, true, true}, useful(), "a smaller job may take a slot")
}

// When a speculative attempt ends, another may start, so Due returns the nodes with a free slot.
func TestRoomForACopyIsNews(t *testing.T) {
	s := newSlowJob(t, "fair", func(_ *core.Config, p *model.Policy) { p.Speculation.MinCopies, p.Speculation.SlowTask = 1, 0.5 }, model.JobSpec{})
	idle := join(t, s.c, model.Node{Name: "n5", MapSlots: 1})
	s.progress(minuteAndMore, map[int]float64{0: 0.03, 2: 0.03})
	copied := beat(t, s.c, minuteAndMore, s.nodes[3])
	require.Equal(t, []model.AttemptID{s.copyOf(0)}, copied)
	require.Empty(t, beat(t, s.c, minuteAndMore, idle), "one copy is enough")
	why := s.c.Speculation.Refusal(s.c.Job(s.id), s.c.Nodes[idle], model.Map)
	require.Equal(t, model.Reason{Cause: model.CauseCopyCap, Count: 1, Of: 1}, why)
	s.c.Due()
	report(t, s.c, minuteAndMore, s.nodes[3], model.Status{Attempt: copied[0], State: model.StateKilled})
	_, open := s.c.Due()
	require.Contains(t, open, idle)
	require.Len(t, beat(t, s.c, minuteAndMore, idle), 1)
}

// Due returns nodes with a free slot when a further task may launch. Causes are a new job, another
// priority, pool or policy, an end while jobs are held back, and a rerun of a task.
func TestNewWorkMakesNodesDue(t *testing.T) {
	for name, call := range map[string]func(c *core.Core, n []model.NodeID, running model.AttemptID) error{
		"a job": func(c *core.Core, _ []model.NodeID, _ model.AttemptID) error {
			_, err := c.Submit(0, model.JobSpec{Maps: 1})
			return err
		},
		"a resumed job": func(c *core.Core, _ []model.NodeID, _ model.AttemptID) error {
			_, err := c.Resume(0, 0, model.JobSpec{Maps: 1}, nil)
			return err
		},
		"a priority": func(c *core.Core, _ []model.NodeID, _ model.AttemptID) error { return c.SetPriority(0, 2, model.High) },
		"a pool":     func(c *core.Core, _ []model.NodeID, _ model.AttemptID) error { return c.SetPool(0, 2, "p") },
		"a policy": func(c *core.Core, _ []model.NodeID, _ model.AttemptID) error {
			return c.Reconfigure(0, c.View().Policy())
		},
		"an end": func(c *core.Core, _ []model.NodeID, _ model.AttemptID) error { return c.Kill(0, 1) },
		"a failure": func(c *core.Core, n []model.NodeID, running model.AttemptID) error {
			_, err := c.Heartbeat(0, model.Heartbeat{Node: n[0], NoWork: true, Statuses: []model.Status{{Attempt: running, State: model.StateFailed}}})
			return err
		},
		"a lost node": func(c *core.Core, n []model.NodeID, _ model.AttemptID) error { return c.Leave(0, n[0]) },
	} {
		c, n := newTestCore(t, "hfs", func(_ *core.Config, p *model.Policy) { p.Pools.UserMaxJobs = 1 })
		submit(t, c, model.JobSpec{User: "u", Maps: 1})
		submit(t, c, model.JobSpec{User: "u", Maps: 1})
		got := beat(t, c, 0, n[0])
		require.Len(t, got, 1)
		heard := func() (open []model.NodeID) {
			for _, at := range n {
				report(t, c, 0, at)
			}
			_, open = c.Due()
			return open
		}
		require.Empty(t, heard())
		require.NoError(t, c.Update(0))
		_, open := c.Due()
		require.Empty(t, open, "nothing has happened")
		require.NoError(t, call(c, n, got[0]), name)
		_, open = c.Due()
		require.Contains(t, open, n[1], name)
		require.Contains(t, open, n[3], name)
	}
}
