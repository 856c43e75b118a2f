package engine

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling/internal/core"
)

// Each reason for which a job leaves a free slot of a node idle, without Explain.
func TestIdleReasonsOfNodes(t *testing.T) {
	c, n := newTestCore(t, "fair", func(_ *core.Config, p *core.Policy) { p.SlowStart = 1 })
	reasons := func(at core.NodeID) (list []core.Skip) { return c.View().IdleReasons(at) }
	submit(t, c, core.JobSpec{Maps: 9, Reduces: 3, SlotsPerTask: 2})
	only := func(at core.NodeID, k core.TaskKind, r core.Reason) {
		list := slices.DeleteFunc(reasons(at), func(s core.Skip) bool { return s.Kind != k })
		require.Equal(t, []core.Skip{{Job: 1, Kind: k, Node: at, Reason: r}}, list)
	}
	require.Len(t, beat(t, c, 0, n[0]), 1)
	only(n[0], core.Reduce, core.Reason{Cause: core.CauseSlowStart, Of: 9})
	require.Len(t, reasons(n[0]), 1, "no map slot is free")
	only(n[1], core.Map, core.Reason{Cause: core.CauseNotOffered})
	for _, none := range []core.NodeID{core.NoNode, 4, 5} {
		require.Nil(t, reasons(none))
	}
	require.NoError(t, c.Cordon(0, n[1], true))
	only(n[1], core.Map, core.Reason{Cause: core.CauseCordoned})
	require.NoError(t, c.Leave(0, n[1]))
	require.Nil(t, reasons(n[1]), "it is gone")
	_, err := c.Join(0, core.Node{Name: "n3", Rack: "r2", MapSlots: 1})
	require.NoError(t, err)
	only(n[2], core.Map, core.Reason{Cause: core.CauseSlots, Count: 1, Of: 2})
	submit(t, c, core.JobSpec{}) // ends at once
	submit(t, c, core.JobSpec{Maps: 2})
	require.Len(t, beat(t, c, 0, n[3]), 2)
	require.Len(t, reasons(n[2]), 1, "the last job has no task to launch, the other is over")
	c.SetAvoided(c.Nodes[n[2]], true)
	only(n[2], core.Map, core.Reason{Cause: core.CauseAvoided})

	c, n = newTestCore(t, "hfs", func(_ *core.Config, p *core.Policy) { p.Pools.UserMaxJobs = 1 })
	submit(t, c, core.JobSpec{User: "u", Maps: 1})
	submit(t, c, core.JobSpec{User: "u", Maps: 1})
	require.Equal(t, core.Reason{Cause: core.CauseJobLimit, Count: 1, Of: 1}, c.View().IdleReasons(n[0])[1].Reason)
}

// With Explain a heartbeat tells each job's reason, of each kind, when it is new or the level that
// the job is allowed is, and again when it has been passed over twice as often, four times, and so
// on; what it told stands until the next.
func TestSkipsAreTold(t *testing.T) {
	c, since := told(t, "fair", func(cfg *core.Config, p *core.Policy) {
		cfg.Explain = true
		p.Locality = core.LocalityPolicy{Rule: core.TimedWait, Waits: []time.Duration{10 * time.Second, 10 * time.Second}}
	})
	data := c.NodeID("data")
	n, err := c.Join(0, core.Node{Name: "n", Rack: "r", MapSlots: 2, ReduceSlots: 1})
	require.NoError(t, err)
	submit(t, c, core.JobSpec{Maps: 2, Reduces: 1, Places: on(2, data)})
	submit(t, c, core.JobSpec{Maps: 1, Places: on(1, data)})
	skips := func(at time.Duration) (list []core.Event) {
		since()
		require.Empty(t, beat(t, c, at, n))
		for _, e := range since() {
			require.Equal(t, core.EventSkipped, e.Type)
			list = append(list, e)
		}
		return list
	}
	event := func(at time.Duration, job core.JobID, k core.TaskKind, r core.Reason, until time.Duration, level string, count int) core.Event {
		return core.Event{At: at, Type: core.EventSkipped, JobID: job, Kind: k, Node: n, NodeName: "n", Reason: r, Until: until, Level: level, Count: count}
	}
	waits, slow := core.Reason{Cause: core.CauseWaiting}, core.Reason{Cause: core.CauseSlowStart, Of: 1}
	near := "node-local"
	require.Equal(t, []core.Event{
		event(0, 1, core.Map, waits, 10*time.Second, near, 1), event(0, 2, core.Map, waits, 10*time.Second, near, 1), event(0, 1, core.Reduce, slow, 0, "", 1),
	}, skips(0))
	require.Equal(t, []core.Skip{
		{Job: 1, Kind: core.Map, Node: n, Reason: waits, Until: 10 * time.Second},
		{Job: 2, Kind: core.Map, Node: n, Reason: waits, Until: 10 * time.Second},
		{Job: 1, Kind: core.Reduce, Node: n, Reason: slow},
	}, c.View().Skips())
	waits.Wait = 4 * time.Second
	require.Equal(t, []core.Event{
		event(4*time.Second, 1, core.Map, waits, 10*time.Second, near, 2), event(4*time.Second, 2, core.Map, waits, 10*time.Second, near, 2), event(4*time.Second, 1, core.Reduce, slow, 0, "", 2),
	}, skips(4*time.Second), "the second time")
	require.Equal(t, core.Reason{Cause: core.CauseWaiting, Wait: 4 * time.Second}, c.View().Skips()[0].Reason)
	require.Equal(t, 10*time.Second, c.View().Skips()[0].Until)
	require.Equal(t, c.View().Skips()[:1], c.View().IdleReasons(n)[:1], "it knows")
	waits.Wait = 5 * time.Second
	require.Empty(t, skips(5*time.Second), "the third is the same")
	waits.Wait = 12 * time.Second
	require.Equal(t, []core.Event{
		event(12*time.Second, 1, core.Map, waits, 20*time.Second, "rack-local", 1), event(12*time.Second, 2, core.Map, waits, 20*time.Second, "rack-local", 1),
		event(12*time.Second, 1, core.Reduce, slow, 0, "", 4),
	}, skips(12*time.Second), "the node is no rack of the data, and the reduce was passed over for the fourth time")
	require.Equal(t, core.Skip{Job: 1, Kind: core.Map, Node: n, Reason: core.Reason{Cause: core.CauseWaiting, Wait: 12 * time.Second}, Until: 20 * time.Second}, c.View().Skips()[0])
	got, err := c.Heartbeat(20*time.Second, core.Heartbeat{Node: n})
	require.NoError(t, err)
	require.Len(t, got.Actions, 2)
	require.Equal(t, core.Reason{Cause: core.CauseWaited, Wait: 20 * time.Second}, got.Actions[0].Reason)
}

// Who has no slot is not offered one: of a node of two slots one task takes both, and the other job
// is not asked.
func TestNoOfferWithoutASlot(t *testing.T) {
	for _, preset := range []string{"fifo", "fair", "hfs", "hfsp", "srpt"} {
		c, _ := newTestCore(t, preset, func(cfg *core.Config, p *core.Policy) { cfg.Explain, p.Spread = true, false })
		n, err := c.Join(0, core.Node{Name: "n", MapSlots: 2})
		require.NoError(t, err)
		data := core.Places{Offsets: []int32{0, 1}, Nodes: []core.NodeID{n}}
		submit(t, c, core.JobSpec{User: "u", Maps: 1, SlotsPerTask: 2, Places: data})
		submit(t, c, core.JobSpec{User: "v", Maps: 1, Places: data})
		require.Len(t, beat(t, c, 0, n), 1, preset)
		require.Empty(t, c.View().Skips(), preset)
	}
}

// Some slots are kept from tasks known to be long, where a node has more; only what is longer than
// the limit is long.
func TestSlotsKeptFromLongTasks(t *testing.T) {
	for _, x := range []struct {
		slots, reserve int
		time           time.Duration
		want           int
	}{
		{4, 1, time.Minute + 1, 3}, {4, 1, time.Minute, 4}, {4, 0, time.Hour, 4}, {4, 3, time.Hour, 1}, {4, 4, time.Hour, 4}, {1, 1, time.Hour, 1}, {4, 1, 0, 4},
	} {
		c, n := pooled(t, core.Node{MapSlots: x.slots}, func(_ *core.Config, p *core.Policy) { p.ReserveLong, p.LongTask = x.reserve, time.Minute })
		submit(t, c, core.JobSpec{Maps: 9, MapTime: x.time})
		require.Len(t, beat(t, c, 0, n), x.want, "%+v", x)
	}
	c, n := pooled(t, core.Node{ReduceSlots: 2}, func(cfg *core.Config, p *core.Policy) { cfg.Explain, p.ReserveLong, p.LongTask = true, 1, time.Minute })
	submit(t, c, core.JobSpec{Reduces: 9, ReduceTime: time.Hour})
	require.Len(t, beat(t, c, 0, n), 1)
	require.Equal(t, []core.Skip{{Job: 1, Kind: core.Reduce, Node: n, Reason: core.Reason{Cause: core.CauseBusyLong}}}, c.View().Skips())
}

// What a heartbeat reports counts for what it is given: a job that ends leaves its place to another.
func TestReportsCountAtOnce(t *testing.T) {
	c, n := pooled(t, core.Node{MapSlots: 1}, func(_ *core.Config, p *core.Policy) { p.Pools.UserMaxJobs = 1 })
	submit(t, c, core.JobSpec{User: "u", Maps: 1})
	submit(t, c, core.JobSpec{User: "u", Maps: 1})
	got := beat(t, c, 0, n)
	require.Len(t, got, 1)
	got = beat(t, c, 0, n, core.Status{Attempt: got[0], State: core.StateSucceeded})
	require.Len(t, got, 1)
	require.Equal(t, core.JobID(2), got[0].Task.Job)
}

// A node that is asked for a heartbeat is one that has a slot for the work that has come, or one
// that has been called; it is named once.
func TestWhoIsDue(t *testing.T) {
	c, n := newTestCore(t, "fair", func(_ *core.Config, p *core.Policy) { p.SlowStart = 1 })
	due := func() (called, open []core.NodeID) {
		a, b := c.Due()
		return slices.Clone(a), slices.Clone(b)
	}
	heard := func() {
		for _, at := range n {
			_, err := c.Heartbeat(0, core.Heartbeat{Node: at, NoWork: true})
			require.NoError(t, err)
		}
		c.Due()
	}
	heard()
	submit(t, c, core.JobSpec{Maps: 2, Reduces: 2})
	called, open := due()
	require.Empty(t, called)
	require.Equal(t, n, open)
	_, open = due()
	require.Empty(t, open, "once")
	maps := beat(t, c, 0, n[0])
	require.Len(t, maps, 2)
	heard()
	beat(t, c, 0, n[0], core.Status{Attempt: maps[0], State: core.StateSucceeded})
	_, open = due()
	require.Empty(t, open, "slow start is not over")
	_, err := c.Join(0, core.Node{Name: "n4", Rack: "r2", MapSlots: 1})
	require.NoError(t, err)
	heard()
	c.Nodes[n[3]].Used[core.Map] = 1 // it is full
	_, err = c.Heartbeat(0, core.Heartbeat{Node: n[0], NoWork: true, Statuses: []core.Status{{Attempt: maps[1], State: core.StateSucceeded}}})
	require.NoError(t, err)
	_, open = due()
	require.Equal(t, []core.NodeID{n[1], n[2]}, open, "reduces may start; the first has been heard of, the last has no slot")
	c.Nodes[n[3]].Used[core.Map] = 0

	require.NoError(t, c.Cordon(0, n[1], true))
	require.NoError(t, c.Cordon(0, n[1], false))
	require.NoError(t, c.Cordon(0, n[2], true))
	called, _ = due()
	require.Equal(t, []core.NodeID{n[1]}, called, "one that is let in again")
	require.NoError(t, c.Cordon(0, n[1], false))
	require.NoError(t, c.Leave(0, n[1]))
	called, _ = due()
	require.Empty(t, called, "it has gone meanwhile")
}

// Whoever has a kill to be told is called, until it has been told.
func TestKillsCallNodes(t *testing.T) {
	c, n := newTestCore(t, "fair", nil)
	id := submit(t, c, core.JobSpec{Maps: 3})
	require.Len(t, beat(t, c, 0, n[2]), 2)
	require.Len(t, beat(t, c, 0, n[1]), 1)
	require.NoError(t, c.Kill(0, id))
	got, err := c.Heartbeat(0, core.Heartbeat{Node: n[2]})
	require.NoError(t, err)
	require.Len(t, got.Actions, 2)
	called, _ := c.Due()
	require.Equal(t, []core.NodeID{n[1]}, called, "the other has been told")
	called, _ = c.Due()
	require.Empty(t, called)
}

// A heartbeat is useful to a node with a free slot of a kind of which tasks wait, to be launched or
// copied, and to any if slots are taken back for tasks that wait.
func TestWhoIsUseful(t *testing.T) {
	c, n := newTestCore(t, "fair", nil)
	_, err := c.Join(0, core.Node{Name: "n2", Rack: "r1", MapSlots: 2})
	require.NoError(t, err)
	useful := func() (list []bool) {
		for _, at := range append([]core.NodeID{core.NoNode}, n...) {
			list = append(list, c.View().Useful(at))
		}
		return list
	}
	require.Equal(t, []bool{false, false, false, false, false}, useful())
	id := submit(t, c, core.JobSpec{Reduces: 1})
	require.Equal(t, []bool{true, true, false, true, true}, useful(), "the second has no slot for reduces")
	require.NoError(t, c.Cordon(0, n[3], true))
	require.Equal(t, []bool{true, true, false, true, false}, useful())
	require.Len(t, beat(t, c, 0, n[0]), 1)
	require.Equal(t, []bool{false, false, false, false, false}, useful())
	c.Slow[core.Reduce] = 1
	require.Equal(t, []bool{true, false, false, true, false}, useful(), "a task to copy")
	c.Slow[core.Reduce] = 0
	require.NoError(t, c.Kill(0, id))

	c, n = newTestCore(t, "hfsp", nil)
	require.Equal(t, []bool{false, false, false, false, false}, useful())
	submit(t, c, core.JobSpec{Maps: 20})
	for _, at := range n {
		require.Len(t, beat(t, c, 0, at), 2)
	}
	require.Equal(t, []bool{true, true, true, true, true}, useful(), "a smaller job may take a slot")
}

// When a copy ends there is room for another one: nodes with a free slot are due.
func TestRoomForACopyIsNews(t *testing.T) {
	s := newSlowJob(t, "fair", func(_ *core.Config, p *core.Policy) { p.Speculation.MinCopies, p.Speculation.SlowTask = 1, 0.5 }, core.JobSpec{})
	idle, err := s.c.Join(0, core.Node{Name: "n5", MapSlots: 1})
	require.NoError(t, err)
	s.progress(minuteAndMore, map[int]float64{0: 0.03, 2: 0.03})
	copied := beat(t, s.c, minuteAndMore, s.nodes[3])
	require.Equal(t, []core.AttemptID{s.copyOf(0)}, copied)
	require.Empty(t, beat(t, s.c, minuteAndMore, idle), "one copy is enough")
	s.c.Due()
	_, err = s.c.Heartbeat(minuteAndMore, core.Heartbeat{Node: s.nodes[3], NoWork: true, Statuses: []core.Status{{Attempt: copied[0], State: core.StateKilled}}})
	require.NoError(t, err)
	_, open := s.c.Due()
	require.Contains(t, open, idle)
	require.Len(t, beat(t, s.c, minuteAndMore, idle), 1)
}

// What may let a task launch that could not before has nodes with a free slot named: a job, another
// priority, pool or policy, an end while jobs are held back, a task that runs again.
func TestWhatIsNews(t *testing.T) {
	for name, call := range map[string]func(c *core.Core, n []core.NodeID, running core.AttemptID) error{
		"a job": func(c *core.Core, _ []core.NodeID, _ core.AttemptID) error {
			_, err := c.Submit(0, core.JobSpec{Maps: 1})
			return err
		},
		"a resumed job": func(c *core.Core, _ []core.NodeID, _ core.AttemptID) error {
			_, err := c.Resume(0, 0, core.JobSpec{Maps: 1}, nil)
			return err
		},
		"a priority": func(c *core.Core, _ []core.NodeID, _ core.AttemptID) error { return c.SetPriority(0, 2, core.High) },
		"a pool":     func(c *core.Core, _ []core.NodeID, _ core.AttemptID) error { return c.SetPool(0, 2, "p") },
		"a policy": func(c *core.Core, _ []core.NodeID, _ core.AttemptID) error {
			return c.Reconfigure(0, c.View().Policy())
		},
		"an end": func(c *core.Core, _ []core.NodeID, _ core.AttemptID) error { return c.Kill(0, 1) },
		"a failure": func(c *core.Core, n []core.NodeID, running core.AttemptID) error {
			_, err := c.Heartbeat(0, core.Heartbeat{Node: n[0], NoWork: true, Statuses: []core.Status{{Attempt: running, State: core.StateFailed}}})
			return err
		},
		"a lost node": func(c *core.Core, n []core.NodeID, _ core.AttemptID) error { return c.Leave(0, n[0]) },
	} {
		c, n := newTestCore(t, "hfs", func(_ *core.Config, p *core.Policy) { p.Pools.UserMaxJobs = 1 })
		submit(t, c, core.JobSpec{User: "u", Maps: 1})
		submit(t, c, core.JobSpec{User: "u", Maps: 1})
		got := beat(t, c, 0, n[0])
		require.Len(t, got, 1)
		heard := func() (open []core.NodeID) {
			for _, at := range n {
				_, err := c.Heartbeat(0, core.Heartbeat{Node: at, NoWork: true})
				require.NoError(t, err)
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
