package delay

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling/delaymath"
	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/coretest"
	"github.com/tarry-mr/tarry/scheduling/internal/flat"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
	"github.com/tarry-mr/tarry/scheduling/view"
)

// built has the order "fair" and this package's rules, which the tests' policies name.
var built = &core.Policies{
	Orders: map[string]func(*core.Core, *model.Policy) (core.Order, error){"fair": flat.NewFair},
	Maps: map[model.LocalityRule]func(*core.Core, model.LocalityPolicy, core.Placement) core.Placement{
		model.SkipCount: NewSkipCount, model.TimedWait: NewTimedWait,
	},
}

func fair(t require.TestingT, cfg core.Config, p model.LocalityPolicy, nodes ...model.Node) *core.Core {
	return coretest.New(t, built, cfg, model.Policy{Order: "fair", Locality: p}, nodes...)
}

// timed returns the rule TimedWait with the given waits, W1 first, in whole seconds.
func timed(seconds ...time.Duration) model.LocalityPolicy {
	p := model.LocalityPolicy{Rule: model.TimedWait}
	for _, w := range seconds {
		p.Waits = append(p.Waits, w*time.Second)
	}
	return p
}

// The nodes of waitingJob: one with the data, one in its rack, one in another rack.
const data, rack, far = model.NodeID(0), model.NodeID(1), model.NodeID(2)

// waitingJob returns a Core with the nodes data, rack and far, each with one slot. Its job has nine
// maps, all with their input on data.
func waitingJob(t *testing.T, p model.LocalityPolicy) *core.Core {
	c := fair(t, core.Config{}, p, coretest.Racks([2]int{1, 0}, 2, 1)...)
	coretest.Submit(t, c, model.JobSpec{Maps: 9, Places: coretest.On(9, data)})
	return c
}

// With Capped, a launch within the level keeps the wait if an offer was refused fewer heartbeats
// before than there are nodes. A launch farther away restarts the wait.
func TestCapOfAWait(t *testing.T) {
	for beats, want := range map[int]time.Duration{1: 2 * time.Second, 2: 2 * time.Second, 3: 0} {
		c := waitingJob(t, model.LocalityPolicy{Rule: model.TimedWait, Waits: []time.Duration{5 * time.Second, 5 * time.Second}, Capped: true})
		require.Empty(t, coretest.Beat(t, c, 0, far))
		require.Empty(t, coretest.Beat(t, c, 2*time.Second, far))
		c.Beat += uint64(beats - 1) // of full nodes
		require.Len(t, coretest.Beat(t, c, 2*time.Second, data), 1)
		v, err := c.View().Locality(1)
		require.NoError(t, err)
		require.Equal(t, want, v.Wait, "%d heartbeats later", beats)
	}
	c := waitingJob(t, model.LocalityPolicy{Rule: model.TimedWait, Waits: []time.Duration{5 * time.Second, 5 * time.Second}, Capped: true})
	require.Empty(t, coretest.Beat(t, c, 0, far))
	require.Empty(t, coretest.Beat(t, c, 6*time.Second, far))
	require.Len(t, coretest.Beat(t, c, 6*time.Second, rack), 1)
	v, err := c.View().Locality(1)
	require.NoError(t, err)
	require.Equal(t, view.Locality{Level: model.RackLocal}, v)
	require.Len(t, coretest.Beat(t, c, 6*time.Second, data), 1)
	c = waitingJob(t, model.LocalityPolicy{Rule: model.TimedWait, Waits: []time.Duration{5 * time.Second, 5 * time.Second}, Capped: true})
	c.Placement[model.Map].(*TimedWait).Of.Of(c.Job(1)).Wait = time.Second
	require.Len(t, coretest.Beat(t, c, 0, data), 1)
	v, err = c.View().Locality(1)
	require.NoError(t, err)
	require.Zero(t, v.Wait, "no offer was refused")
}

// The wait of a job continues when a new policy of the same kind replaces the old one.
func TestWaitSurvivesANewPolicy(t *testing.T) {
	c := waitingJob(t, timed(5, 0))
	for _, at := range []time.Duration{0, 3} {
		require.Empty(t, coretest.Beat(t, c, at*time.Second, far))
	}
	require.NoError(t, c.Reconfigure(3*time.Second, c.View().Policy()))
	for _, at := range []time.Duration{3, 4} {
		require.Empty(t, coretest.Beat(t, c, at*time.Second, far))
	}
	require.Len(t, coretest.Beat(t, c, 5*time.Second, far), 1)
}

// If a job refuses an offer, its wait grows by the time to the next heartbeat. It does not if the
// job launches a map in the same heartbeat, before or after the refusal.
func TestLaunchesAndRefusalsOfAHeartbeat(t *testing.T) {
	c := waitingJob(t, timed(5, 5))
	w, j := c.Placement[model.Map].(*TimedWait), c.Job(1)
	for name, tc := range map[string]struct {
		offers func()
		want   time.Duration
	}{
		"refused":        {func() { w.Refused(j) }, time.Second},
		"refused twice":  {func() { w.Refused(j); w.Refused(j) }, time.Second},
		"refused first":  {func() { w.Refused(j); w.Begin() }, time.Second}, // Begin: the next slot is offered
		"launched first": {func() { w.Launched(j, c.Nodes[data], model.NodeLocal); w.Refused(j) }, 0},
		"launched last":  {func() { w.Refused(j); w.Launched(j, c.Nodes[data], model.NodeLocal) }, 0},
		"launched before": {func() {
			w.Launched(j, c.Nodes[data], model.NodeLocal)
			c.Beat++
			w.Begin()
			w.Refused(j)
		}, time.Second},
	} {
		*w.Of.Of(j) = Delayed{}
		c.Beat++
		w.Begin()
		tc.offers()
		c.Now += time.Second
		c.Beat++
		w.Begin()
		w.Begin() // the next slot is offered
		require.Equal(t, tc.want, w.Of.Of(j).Wait, name)
	}
	*w.Of.Of(j) = Delayed{}
	require.Empty(t, coretest.Beat(t, c, time.Minute, rack))
	require.NoError(t, c.Kill(time.Minute, 1))
	id := coretest.Submit(t, c, model.JobSpec{Maps: 1, Places: coretest.On(1, data)})
	require.Empty(t, coretest.Beat(t, c, 2*time.Minute, rack), "the wait of a job that has ended is not its successor's")
	v, err := c.View().Locality(id)
	require.NoError(t, err)
	require.Equal(t, view.Locality{Skipped: true}, v)
}

// Views show how many offers a job has refused. If D are, a launch that is not local has the reason
// CauseWaited. A job does not wait without levels, nor for maps without a place.
func TestReasonsOfSkipCounts(t *testing.T) {
	c := waitingJob(t, model.LocalityPolicy{Rule: model.SkipCount, Skips: []int{2}})
	for refused := range 2 {
		v, err := c.View().Locality(1)
		require.NoError(t, err)
		require.Equal(t, view.Locality{Skips: refused}, v)
		require.Empty(t, coretest.Beat(t, c, 0, far))
	}
	v, until := c.Placement[model.Map].View(c.Job(1))
	require.Equal(t, view.Locality{Skips: 2}, v)
	require.Zero(t, until)
	got, err := c.Heartbeat(0, model.Heartbeat{Node: far})
	require.NoError(t, err)
	require.Equal(t, model.Reason{Cause: model.CauseWaited, Count: 2}, got.Actions[0].Reason)
	got, err = c.Heartbeat(0, model.Heartbeat{Node: data})
	require.NoError(t, err)
	require.Equal(t, model.Reason{Cause: model.CauseLocal}, got.Actions[0].Reason)
	c = waitingJob(t, model.LocalityPolicy{Rule: model.SkipCount})
	require.Len(t, coretest.Beat(t, c, 0, far), 1)
	c = waitingJob(t, model.LocalityPolicy{Rule: model.SkipCount, Skips: []int{9}})
	require.NoError(t, c.Kill(0, 1))
	coretest.Submit(t, c, model.JobSpec{Maps: 1})
	require.Len(t, coretest.Beat(t, c, 0, far), 1)
}

// With Auto, D is that of [Zaharia10 Equation 2] for 95 % locality. It depends on the job's maps
// and replicas, and on the present number of nodes.
func TestSkipsForLocality(t *testing.T) {
	for _, maps := range []int{1, 10, 200} {
		for _, replicas := range []int{1, 3} {
			c := fair(t, core.Config{}, model.LocalityPolicy{Rule: model.SkipCount, Auto: true}, coretest.Racks([2]int{1, 0}, 20)...)
			coretest.Submit(t, c, model.JobSpec{Maps: maps, Places: coretest.On(maps, []model.NodeID{0, 1, 2}[:replicas]...)})
			refused := 0
			beatOn := func(n int) {
				for range n {
					require.Empty(t, coretest.Beat(t, c, 1, 19), "%d maps, %d replicas, offer %d", maps, replicas, refused)
					refused++
				}
			}
			beatOn(1)
			for _, n := range coretest.Racks([2]int{1, 0}, 40)[20:] { // in a cluster of 40 nodes, D is larger
				_, err := c.Join(1, n)
				require.NoError(t, err)
			}
			beatOn(delaymath.Skips(0.95, maps, 40, replicas) - refused)
			require.Len(t, coretest.Beat(t, c, 1, 19), 1)
		}
	}
}

// Automatic waits depend on the present number of nodes, also for jobs that already wait.
func TestAutomaticWaitFollowsTheCluster(t *testing.T) {
	c := fair(t, core.Config{}, model.LocalityPolicy{Rule: model.TimedWait, Auto: true}, coretest.Racks([2]int{1, 0}, 100)...)
	coretest.Submit(t, c, model.JobSpec{Maps: 2, Places: coretest.On(2, 0)})
	require.Empty(t, coretest.Beat(t, c, 0, 1))
	require.Empty(t, coretest.Beat(t, c, time.Second, 1), "100 nodes: 1.5 s")
	for i := range model.NodeID(60) {
		require.NoError(t, c.Leave(time.Second, 40+i))
	}
	require.Len(t, coretest.Beat(t, c, 1100*time.Millisecond, 1), 1, "40 nodes: 0.6 s")
}
