package engine

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/flat"
	"github.com/tarry-mr/tarry/scheduling/internal/hfsp"
)

// Under fifo a nearly full cluster gives each heartbeat one map only, to keep a slot for each 100
// tasks wanted, at most a node's; with up to three nodes it is full when it is.
func TestPaddingOfFIFO(t *testing.T) {
	for _, x := range []struct {
		spread               bool
		nodes, load, running int
		want                 bool
	}{
		{true, 4, 350, 97, true},
		{true, 4, 350, 96, false},
		{true, 4, 99, 99, false},
		{true, 4, 100, 99, true},
		{true, 4, 9000, 93, false},
		{true, 4, 9000, 94, true},
		{true, 3, 350, 99, false},
		{true, 3, 350, 100, true},
		{false, 4, 350, 100, false},
	} {
		c, n := newTestCore(t, "fifo", func(_ *core.Config, p *core.Policy) { p.Spread = x.spread })
		at := c.Nodes[n[0]]
		at.Slots[core.Map] = 6
		c.Live, c.Load[core.Map], c.Slots[core.Map], c.Running[core.Map] = x.nodes, x.load, 100, x.running
		require.Equal(t, x.want, c.Order.(*flat.FIFO).Padded(at, core.Map), "%+v", x)
	}
}

// Under fifo with Spread a node takes its part of the tasks, maps and reduces, and says so when it
// has it; one reduce comes with a heartbeat.
func TestSpreadOfFIFO(t *testing.T) {
	for _, spread := range []bool{true, false} {
		c, _ := newTestCore(t, "fifo", func(_ *core.Config, p *core.Policy) { p.Spread = spread })
		var nodes []core.NodeID
		for _, name := range []string{"n1", "n2", "n3", "n4"} {
			id, err := c.Join(0, core.Node{Name: name, Rack: "r1", MapSlots: 4, ReduceSlots: 4})
			require.NoError(t, err)
			nodes = append(nodes, id)
		}
		submit(t, c, core.JobSpec{Maps: 4, Reduces: 4, SlowStart: -1, Places: on(4, nodes[0])})
		got := map[core.TaskKind]int{}
		for range 4 {
			reduces := 0
			for _, a := range beat(t, c, 0, nodes[0]) {
				got[a.Task.Kind]++
				if a.Task.Kind == core.Reduce {
					reduces++
				}
			}
			require.LessOrEqual(t, reduces, 1)
		}
		require.Equal(t, map[bool]map[core.TaskKind]int{true: {core.Map: 1, core.Reduce: 1}, false: {core.Map: 4, core.Reduce: 4}}[spread], got)
		if spread {
			require.Equal(t, []core.Skip{
				{Job: 1, Kind: core.Map, Node: nodes[0], Reason: core.Reason{Cause: core.CauseLoadCap, Count: 1, Of: 1}},
				{Job: 1, Kind: core.Reduce, Node: nodes[0], Reason: core.Reason{Cause: core.CauseLoadCap, Count: 1, Of: 1}},
			}, c.View().IdleReasons(nodes[0]))
			require.Equal(t, core.Reason{Cause: core.CauseNotOffered}, c.View().IdleReasons(nodes[1])[0].Reason)
		}
	}
}

// hfspCore is a Core under hfsp with known sizes and one node.
func hfspCore(t *testing.T, n core.Node, change func(*core.Policy)) (*core.Core, *hfsp.Order, core.NodeID) {
	p, err := Preset("hfsp")
	require.NoError(t, err)
	p.HFSP.NoTraining = true
	if change != nil {
		change(&p)
	}
	c, err := NewCore(core.Config{}, p)
	require.NoError(t, err)
	n.Name = "n"
	id, err := c.Join(0, n)
	require.NoError(t, err)
	return c, c.Order.(*hfsp.Order), id
}

// The work of a job that succeeded goes on in the virtual cluster, else the others would get ahead;
// that of one that was given up does not.
func TestVirtualWorkOfEndedJobs(t *testing.T) {
	c, o, n := hfspCore(t, core.Node{MapSlots: 2}, nil)
	killed := submit(t, c, core.JobSpec{Maps: 1, MapTime: time.Hour})
	virtual := func(id core.JobID) func() int { return o.Of[core.Map][c.Job(id).Index].V.Slots }
	slots := virtual(killed)
	require.NoError(t, c.Kill(0, killed))
	require.Zero(t, slots())
	require.Empty(t, o.All[core.Map])
	slots = virtual(submit(t, c, core.JobSpec{Maps: 1, MapTime: time.Hour}))
	submit(t, c, core.JobSpec{Maps: 1, MapTime: time.Hour})
	got := beat(t, c, 0, n)
	require.Len(t, got, 2)
	beat(t, c, time.Minute, n, core.Status{Attempt: got[0], State: core.StateSucceeded})
	require.Equal(t, 1, slots())
	require.Len(t, o.All[core.Map], 1)
	require.NoError(t, c.Update(time.Hour))
	o.Age(core.Map)
	require.Zero(t, slots())
	_, err := c.View().Virtual(9, core.Map)
	require.ErrorIs(t, err, core.ErrUnknownJob)
	v, err := c.View().Virtual(2, core.Map)
	require.NoError(t, err)
	require.Zero(t, v, "it has ended")
	v, err = c.View().Virtual(3, core.Reduce)
	require.NoError(t, err)
	require.Zero(t, v, "it has none")
	other, err := NewCore(core.Config{}, core.Policy{Order: "srpt"})
	require.NoError(t, err)
	submit(t, other, core.JobSpec{Maps: 1})
	_, err = other.View().Virtual(1, core.Map)
	require.ErrorContains(t, err, "has no virtual cluster")
}

// Once so many tasks are suspended none is, until no more than the lower number are left; without a
// limit, and where attempts are killed, that does not count.
func TestSuspensionStopsAndBegins(t *testing.T) {
	c, o, _ := hfspCore(t, core.Node{}, func(p *core.Policy) { p.HFSP.SuspendHigh, p.HFSP.SuspendLow = 4, 2 })
	for _, x := range []struct {
		suspended int
		want      bool
	}{{0, true}, {3, true}, {4, false}, {3, false}, {2, true}, {3, true}, {5, false}, {1, true}} {
		c.Suspend = x.suspended
		require.Equal(t, x.want, o.Reclaims(), "%+v", x)
	}
	for reclaim, want := range map[core.Reclaim]bool{core.EagerSuspend: true, core.KillLarger: true, core.WaitForSlot: false} {
		c, o, _ := hfspCore(t, core.Node{}, func(p *core.Policy) { p.HFSP.Reclaim = reclaim })
		c.Suspend = 99
		require.Equal(t, want, o.Reclaims())
		require.Equal(t, want, o.MayReclaim())
	}
}

// Of a job's attempts on a node the newest is suspended and the oldest resumed, of several the one
// of least index.
func TestWhichAttemptIsSuspended(t *testing.T) {
	c, o, n := hfspCore(t, core.Node{ReduceSlots: 4}, nil)
	j := c.Job(submit(t, c, core.JobSpec{Reduces: 4}))
	require.Len(t, beat(t, c, 0, n), 4)
	starts := []time.Duration{5, 3, 5, 3}
	for _, ai := range c.Nodes[n].Atts {
		c.Attempts[ai].Start = starts[c.Attempts[ai].ID.Task.Index]
	}
	at := func(suspended bool, sign int) int32 {
		ai := o.Extreme(j, c.Nodes[n], core.Reduce, suspended, sign)
		if ai < 0 {
			return -1
		}
		return c.Attempts[ai].ID.Task.Index
	}
	require.Equal(t, []int32{0, 1, -1}, []int32{at(false, 1), at(false, -1), at(true, 1)})
	require.Equal(t, int32(-1), o.Extreme(j, c.Nodes[n], core.Map, false, 1))
	c.Nodes[n].Atts[0], c.Nodes[n].Atts[3] = c.Nodes[n].Atts[3], c.Nodes[n].Atts[0] // in whatever order
	c.Nodes[n].Atts[1], c.Nodes[n].Atts[2] = c.Nodes[n].Atts[2], c.Nodes[n].Atts[1]
	require.Equal(t, []int32{0, 1}, []int32{at(false, 1), at(false, -1)})
}

// What a job may lose: all that runs, once its size is known; before, what is beyond its sample;
// nothing if it must not be suspended.
func TestWhatAJobMayLose(t *testing.T) {
	for _, x := range []struct {
		reclaim             core.Reclaim
		estimate, noSuspend bool
		want                int
	}{
		{core.EagerSuspend, true, false, 7}, {core.EagerSuspend, false, false, 4}, {core.EagerSuspend, true, true, 0}, {core.KillLarger, true, true, 7}, {core.KillLarger, false, true, 4}, {core.WaitForSlot, true, true, 0},
	} {
		_, o, _ := hfspCore(t, core.Node{}, func(p *core.Policy) { p.HFSP.Reclaim, p.HFSP.Sample = x.reclaim, 3 })
		v := &hfsp.Sized{Estimate: x.estimate, Job: &core.Job{Spec: core.JobSpec{NoSuspend: x.noSuspend}, Work: [core.Kinds]core.Work{core.Map: {Running: 7}}}}
		require.Equal(t, x.want, o.Spare(v, core.Map), "%+v", x)
		v.Job.Work[core.Map].Running = 2
		require.GreaterOrEqual(t, o.Spare(v, core.Map), 0)
	}
}

// A reduce has executed since it began to consume: not before the last map was done, nor before the
// last report that it had consumed nothing; a map since its launch.
func TestWhatIsExecution(t *testing.T) {
	c, o, _ := hfspCore(t, core.Node{}, nil)
	c.Now = 100
	for _, x := range []struct {
		kind                      core.TaskKind
		start, mapsDone, shuffled time.Duration
		mapsLeft                  int
		want                      time.Duration
	}{
		{core.Map, 40, 70, 0, 1, 60}, {core.Reduce, 40, 70, 0, 1, 0}, {core.Reduce, 40, 70, 0, 0, 30}, {core.Reduce, 40, 30, 0, 0, 60}, {core.Reduce, 40, 70, 50, 0, 10}, {core.Reduce, 40, 70, 10, 0, 30},
	} {
		j := &core.Job{MapsDone: x.mapsDone, Work: [core.Kinds]core.Work{core.Map: {Tasks: make([]core.Task, 2), Done: 2 - x.mapsLeft}}}
		a := &core.Attempt{ID: core.AttemptID{Task: core.TaskID{Kind: x.kind}}, Job: j, Start: x.start, Since: x.start}
		require.Equal(t, x.want, o.Executed(a, &hfsp.Lesson{Shuffled: x.shuffled}), "%+v", x)
	}
}

// A size is learned once, from as many tasks as the sample has, or the job.
func TestSampleOfAJob(t *testing.T) {
	c, o, n := hfspCore(t, core.Node{MapSlots: 9}, func(p *core.Policy) { p.HFSP = core.HFSPPolicy{Sample: 3} })
	small := submit(t, c, core.JobSpec{Maps: 2})
	large := submit(t, c, core.JobSpec{Maps: 9})
	got := beat(t, c, 0, n)
	require.Len(t, got, 9)
	ends := func(at time.Duration, ids ...core.AttemptID) {
		for _, id := range ids {
			_, err := c.Heartbeat(at, core.Heartbeat{Node: n, NoWork: true, Statuses: []core.Status{{Attempt: id, State: core.StateSucceeded}}})
			require.NoError(t, err)
		}
	}
	of := map[core.JobID][]core.AttemptID{}
	for _, id := range got {
		of[id.Task.Job] = append(of[id.Task.Job], id)
	}
	left := func(id core.JobID) time.Duration {
		v, err := c.View().Virtual(id, core.Map)
		require.NoError(t, err)
		return v.Left
	}
	require.True(t, o.Training(c.Job(large), core.Map))
	ends(10*time.Second, of[large][:2]...)
	require.True(t, o.Training(c.Job(large), core.Map), "two of three")
	ends(10*time.Second, of[large][2])
	require.False(t, o.Training(c.Job(large), core.Map))
	require.Equal(t, 60*time.Second, left(large), "nine of ten seconds, less three done")
	ends(40*time.Second, of[large][3])
	require.Equal(t, 4, int(o.Count[core.Map]))
	require.Equal(t, 70*time.Second, o.Sum[core.Map], "the fourth tells of the mean")
	require.True(t, o.Training(c.Job(small), core.Map))
	ends(40*time.Second, of[small][0])
	require.True(t, o.Training(c.Job(small), core.Map))
	ends(40*time.Second, of[small][1])
	require.Equal(t, core.JobSucceeded, c.View().State(small))
	next := submit(t, c, core.JobSpec{Maps: 2})
	require.Equal(t, 2*25*time.Second, left(next), "150 s of six tasks")
}
