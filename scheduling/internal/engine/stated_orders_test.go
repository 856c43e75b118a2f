package engine

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
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
		c, n := newTestCore(t, "fifo", func(_ *Config, p *Policy) { p.Spread = x.spread })
		at := c.nodes[n[0]]
		at.slots[Map] = 6
		c.live, c.load[Map], c.slots[Map], c.running[Map] = x.nodes, x.load, 100, x.running
		require.Equal(t, x.want, c.order.(*fifo).padded(at, Map), "%+v", x)
	}
}

// Under fifo with Spread a node takes its part of the tasks, maps and reduces, and says so when it
// has it; one reduce comes with a heartbeat.
func TestSpreadOfFIFO(t *testing.T) {
	for _, spread := range []bool{true, false} {
		c, _ := newTestCore(t, "fifo", func(_ *Config, p *Policy) { p.Spread = spread })
		var nodes []NodeID
		for _, name := range []string{"n1", "n2", "n3", "n4"} {
			id, err := c.Join(0, Node{Name: name, Rack: "r1", MapSlots: 4, ReduceSlots: 4})
			require.NoError(t, err)
			nodes = append(nodes, id)
		}
		submit(t, c, JobSpec{Maps: 4, Reduces: 4, SlowStart: -1, Places: on(4, nodes[0])})
		got := map[TaskKind]int{}
		for range 4 {
			reduces := 0
			for _, a := range beat(t, c, 0, nodes[0]) {
				got[a.Task.Kind]++
				if a.Task.Kind == Reduce {
					reduces++
				}
			}
			require.LessOrEqual(t, reduces, 1)
		}
		require.Equal(t, map[bool]map[TaskKind]int{true: {Map: 1, Reduce: 1}, false: {Map: 4, Reduce: 4}}[spread], got)
		if spread {
			require.Equal(t, []Skip{
				{Job: 1, Kind: Map, Node: nodes[0], Reason: Reason{Cause: CauseLoadCap, Count: 1, Of: 1}},
				{Job: 1, Kind: Reduce, Node: nodes[0], Reason: Reason{Cause: CauseLoadCap, Count: 1, Of: 1}},
			}, c.View().IdleReasons(nodes[0]))
			require.Equal(t, Reason{Cause: CauseNotOffered}, c.View().IdleReasons(nodes[1])[0].Reason)
		}
	}
}

// hfspCore is a Core under hfsp with known sizes and one node.
func hfspCore(t *testing.T, n Node, change func(*Policy)) (*Core, *hfsp, NodeID) {
	p, err := Preset("hfsp")
	require.NoError(t, err)
	p.HFSP.NoTraining = true
	if change != nil {
		change(&p)
	}
	c, err := NewCore(Config{}, p)
	require.NoError(t, err)
	n.Name = "n"
	id, err := c.Join(0, n)
	require.NoError(t, err)
	return c, c.order.(*hfsp), id
}

// The work of a job that succeeded goes on in the virtual cluster, else the others would get ahead;
// that of one that was given up does not.
func TestVirtualWorkOfEndedJobs(t *testing.T) {
	c, o, n := hfspCore(t, Node{MapSlots: 2}, nil)
	killed := submit(t, c, JobSpec{Maps: 1, MapTime: time.Hour})
	virtual := func(id JobID) func() int { return o.of[Map][c.job(id).index].v.Slots }
	slots := virtual(killed)
	require.NoError(t, c.Kill(0, killed))
	require.Zero(t, slots())
	require.Empty(t, o.all[Map])
	slots = virtual(submit(t, c, JobSpec{Maps: 1, MapTime: time.Hour}))
	submit(t, c, JobSpec{Maps: 1, MapTime: time.Hour})
	got := beat(t, c, 0, n)
	require.Len(t, got, 2)
	beat(t, c, time.Minute, n, Status{Attempt: got[0], State: StateSucceeded})
	require.Equal(t, 1, slots())
	require.Len(t, o.all[Map], 1)
	require.Zero(t, o.all[Map][0].at)
	require.NoError(t, c.Update(time.Hour))
	o.age(Map)
	require.Zero(t, slots())
	_, err := c.View().Virtual(9, Map)
	require.ErrorIs(t, err, ErrUnknownJob)
	v, err := c.View().Virtual(2, Map)
	require.NoError(t, err)
	require.Zero(t, v, "it has ended")
	v, err = c.View().Virtual(3, Reduce)
	require.NoError(t, err)
	require.Zero(t, v, "it has none")
	other, err := NewCore(Config{}, Policy{Order: "srpt"})
	require.NoError(t, err)
	submit(t, other, JobSpec{Maps: 1})
	_, err = other.View().Virtual(1, Map)
	require.ErrorContains(t, err, "has no virtual cluster")
}

// Once so many tasks are suspended none is, until no more than the lower number are left; without a
// limit, and where attempts are killed, that does not count.
func TestSuspensionStopsAndBegins(t *testing.T) {
	c, o, _ := hfspCore(t, Node{}, func(p *Policy) { p.HFSP.SuspendHigh, p.HFSP.SuspendLow = 4, 2 })
	for _, x := range []struct {
		suspended int
		want      bool
	}{{0, true}, {3, true}, {4, false}, {3, false}, {2, true}, {3, true}, {5, false}, {1, true}} {
		c.suspend = x.suspended
		require.Equal(t, x.want, o.reclaims(), "%+v", x)
	}
	for reclaim, want := range map[Reclaim]bool{EagerSuspend: true, KillLarger: true, WaitForSlot: false} {
		c, o, _ := hfspCore(t, Node{}, func(p *Policy) { p.HFSP.Reclaim = reclaim })
		c.suspend = 99
		require.Equal(t, want, o.reclaims())
		require.Equal(t, want, o.mayReclaim())
	}
}

// Of a job's attempts on a node the newest is suspended and the oldest resumed, of several the one
// of least index.
func TestWhichAttemptIsSuspended(t *testing.T) {
	c, o, n := hfspCore(t, Node{ReduceSlots: 4}, nil)
	j := c.job(submit(t, c, JobSpec{Reduces: 4}))
	require.Len(t, beat(t, c, 0, n), 4)
	starts := []time.Duration{5, 3, 5, 3}
	for _, ai := range c.nodes[n].atts {
		c.atts[ai].start = starts[c.atts[ai].id.Task.Index]
	}
	at := func(suspended bool, sign int) int32 {
		ai := o.extreme(j, c.nodes[n], Reduce, suspended, sign)
		if ai < 0 {
			return -1
		}
		return c.atts[ai].id.Task.Index
	}
	require.Equal(t, []int32{0, 1, -1}, []int32{at(false, 1), at(false, -1), at(true, 1)})
	require.Equal(t, int32(-1), o.extreme(j, c.nodes[n], Map, false, 1))
	c.nodes[n].atts[0], c.nodes[n].atts[3] = c.nodes[n].atts[3], c.nodes[n].atts[0] // in whatever order
	c.nodes[n].atts[1], c.nodes[n].atts[2] = c.nodes[n].atts[2], c.nodes[n].atts[1]
	require.Equal(t, []int32{0, 1}, []int32{at(false, 1), at(false, -1)})
}

// What a job may lose: all that runs, once its size is known; before, what is beyond its sample;
// nothing if it must not be suspended.
func TestWhatAJobMayLose(t *testing.T) {
	for _, x := range []struct {
		reclaim             Reclaim
		estimate, noSuspend bool
		want                int
	}{
		{EagerSuspend, true, false, 7}, {EagerSuspend, false, false, 4}, {EagerSuspend, true, true, 0}, {KillLarger, true, true, 7}, {KillLarger, false, true, 4}, {WaitForSlot, true, true, 0},
	} {
		_, o, _ := hfspCore(t, Node{}, func(p *Policy) { p.HFSP.Reclaim, p.HFSP.Sample = x.reclaim, 3 })
		v := &sized{estimate: x.estimate, job: &job{spec: JobSpec{NoSuspend: x.noSuspend}, w: [kinds]work{Map: {running: 7}}}}
		require.Equal(t, x.want, o.spare(v, Map), "%+v", x)
		v.job.w[Map].running = 2
		require.GreaterOrEqual(t, o.spare(v, Map), 0)
	}
}

// A reduce has executed since it began to consume: not before the last map was done, nor before the
// last report that it had consumed nothing; a map since its launch.
func TestWhatIsExecution(t *testing.T) {
	c, o, _ := hfspCore(t, Node{}, nil)
	c.now = 100
	for _, x := range []struct {
		kind                      TaskKind
		start, mapsDone, shuffled time.Duration
		mapsLeft                  int
		want                      time.Duration
	}{
		{Map, 40, 70, 0, 1, 60}, {Reduce, 40, 70, 0, 1, 0}, {Reduce, 40, 70, 0, 0, 30}, {Reduce, 40, 30, 0, 0, 60}, {Reduce, 40, 70, 50, 0, 10}, {Reduce, 40, 70, 10, 0, 30},
	} {
		j := &job{mapsDone: x.mapsDone, w: [kinds]work{Map: {tasks: make([]task, 2), done: 2 - x.mapsLeft}}}
		a := &attempt{id: AttemptID{Task: TaskID{Kind: x.kind}}, job: j, start: x.start, since: x.start}
		require.Equal(t, x.want, o.executed(a, &lesson{shuffled: x.shuffled}), "%+v", x)
	}
}

// A size is learned once, from as many tasks as the sample has, or the job.
func TestSampleOfAJob(t *testing.T) {
	c, o, n := hfspCore(t, Node{MapSlots: 9}, func(p *Policy) { p.HFSP = HFSPPolicy{Sample: 3} })
	small := submit(t, c, JobSpec{Maps: 2})
	large := submit(t, c, JobSpec{Maps: 9})
	got := beat(t, c, 0, n)
	require.Len(t, got, 9)
	ends := func(at time.Duration, ids ...AttemptID) {
		for _, id := range ids {
			_, err := c.Heartbeat(at, Heartbeat{Node: n, NoWork: true, Statuses: []Status{{Attempt: id, State: StateSucceeded}}})
			require.NoError(t, err)
		}
	}
	of := map[JobID][]AttemptID{}
	for _, id := range got {
		of[id.Task.Job] = append(of[id.Task.Job], id)
	}
	left := func(id JobID) time.Duration {
		v, err := c.View().Virtual(id, Map)
		require.NoError(t, err)
		return v.Left
	}
	require.True(t, o.training(c.job(large), Map))
	ends(10*time.Second, of[large][:2]...)
	require.True(t, o.training(c.job(large), Map), "two of three")
	ends(10*time.Second, of[large][2])
	require.False(t, o.training(c.job(large), Map))
	require.Equal(t, 60*time.Second, left(large), "nine of ten seconds, less three done")
	ends(40*time.Second, of[large][3])
	require.Equal(t, 4, int(o.count[Map]))
	require.Equal(t, 70*time.Second, o.sum[Map], "the fourth tells of the mean")
	require.True(t, o.training(c.job(small), Map))
	ends(40*time.Second, of[small][0])
	require.True(t, o.training(c.job(small), Map))
	ends(40*time.Second, of[small][1])
	require.Equal(t, JobSucceeded, c.View().State(small))
	next := submit(t, c, JobSpec{Maps: 2})
	require.Equal(t, 2*25*time.Second, left(next), "150 s of six tasks")
}
