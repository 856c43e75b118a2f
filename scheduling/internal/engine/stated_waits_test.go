package engine

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/delay"
)

// waitingJob is a Core of one rack of two nodes and a node beyond, with a job whose maps all have
// their data on the first.
func waitingJob(t *testing.T, p core.LocalityPolicy) (c *core.Core, data, rack, far core.NodeID) {
	pol, err := Preset("fair")
	require.NoError(t, err)
	pol.Locality = p
	c, err = NewCore(core.Config{}, pol)
	require.NoError(t, err)
	var n []core.NodeID
	for i, at := range []string{"r", "r", "s"} {
		id, err := c.Join(0, core.Node{Name: fmt.Sprint("n", i), Rack: at, MapSlots: 1})
		require.NoError(t, err)
		n = append(n, id)
	}
	submit(t, c, core.JobSpec{Maps: 9, Places: on(9, n[0])})
	return c, n[0], n[1], n[2]
}

// A level that has no wait of its own is not waited for.
func TestLevelsWithoutAWait(t *testing.T) {
	c, _, _, far := waitingJob(t, core.LocalityPolicy{Rule: core.TimedWait, Waits: []time.Duration{5 * time.Second}})
	require.Empty(t, beat(t, c, 0, far))
	require.Empty(t, beat(t, c, 5*time.Second-1, far))
	require.Len(t, beat(t, c, 5*time.Second, far), 1)
	c, _, _, far = waitingJob(t, core.LocalityPolicy{Rule: core.TimedWait})
	require.Len(t, beat(t, c, 0, far), 1)
}

// The wait that has been credited, its level and its end are told.
func TestViewOfAWait(t *testing.T) {
	c, data, rack, far := waitingJob(t, core.LocalityPolicy{Rule: core.TimedWait, Waits: []time.Duration{4 * time.Second, 6 * time.Second}})
	stands := func() core.LocalityView {
		v, err := c.View().Locality(1)
		require.NoError(t, err)
		return v
	}
	until := func() time.Duration {
		_, at := c.Placement[core.Map].View(c.Job(1))
		return at
	}
	require.Equal(t, core.LocalityView{}, stands())
	require.Empty(t, beat(t, c, 0, far))
	require.Equal(t, core.LocalityView{Skipped: true}, stands())
	require.Equal(t, 4*time.Second, until())
	require.Empty(t, beat(t, c, 3*time.Second, far))
	require.Equal(t, core.LocalityView{Wait: 3 * time.Second, Skipped: true}, stands())
	require.Equal(t, 4*time.Second, until())
	got, err := c.Heartbeat(5*time.Second, core.Heartbeat{Node: rack})
	require.NoError(t, err)
	require.Equal(t, core.Reason{Cause: core.CauseWaited, Wait: 5 * time.Second}, got.Actions[0].Reason)
	require.Equal(t, core.LocalityView{Level: core.RackLocal}, stands())
	require.Empty(t, beat(t, c, 6*time.Second, far))
	require.Empty(t, beat(t, c, 8*time.Second, far))
	require.Equal(t, core.LocalityView{Level: core.RackLocal, Wait: 2 * time.Second, Skipped: true}, stands())
	require.Equal(t, 12*time.Second, until())
	got, err = c.Heartbeat(9*time.Second, core.Heartbeat{Node: data})
	require.NoError(t, err)
	require.Equal(t, core.Reason{Cause: core.CauseLocal}, got.Actions[0].Reason)
	require.Equal(t, core.LocalityView{}, stands(), "back at the first level")
	require.Empty(t, beat(t, c, 10*time.Second, far))
	got, err = c.Heartbeat(25*time.Second, core.Heartbeat{Node: far})
	require.NoError(t, err)
	require.Len(t, got.Actions, 1)
	require.Equal(t, core.LocalityView{Level: core.OffRack}, stands())
	require.Equal(t, 25*time.Second, until(), "it waits for nothing")
	require.NoError(t, c.Kill(26*time.Second, 1))
	require.Equal(t, core.LocalityView{}, stands())
	_, err = c.View().Locality(2)
	require.ErrorIs(t, err, core.ErrUnknownJob)
}

// Maps without a place go anywhere at once; in a job that has others they leave its wait alone.
func TestMapsWithoutAPlace(t *testing.T) {
	waits := core.LocalityPolicy{Rule: core.TimedWait, Waits: []time.Duration{5 * time.Second, 5 * time.Second}}
	c, _, _, far := waitingJob(t, waits)
	require.NoError(t, c.Kill(0, 1))
	id := submit(t, c, core.JobSpec{Maps: 2, Places: core.Places{Offsets: []int32{0, 1, 1}, Nodes: []core.NodeID{0}}})
	got, err := c.Heartbeat(0, core.Heartbeat{Node: far})
	require.NoError(t, err)
	require.Equal(t, []core.Action{{Verb: core.Launch, Attempt: core.AttemptID{Task: core.TaskID{Job: id, Kind: core.Map, Index: 1}, Try: 0}, Locality: core.AnyPlace, Reason: core.Reason{Cause: core.CauseNoLocation}}}, got.Actions)
	beat(t, c, 1, far, core.Status{Attempt: got.Actions[0].Attempt, State: core.StateSucceeded})
	require.Empty(t, beat(t, c, 4*time.Second, far))
	v, err := c.View().Locality(id)
	require.NoError(t, err)
	require.Equal(t, core.LocalityView{Wait: 4*time.Second - 1, Skipped: true}, v)

	c, _, _, far = waitingJob(t, waits)
	require.NoError(t, c.Kill(0, 1))
	id = submit(t, c, core.JobSpec{Maps: 2})
	require.Len(t, beat(t, c, 0, far), 1)
	v, err = c.View().Locality(id)
	require.NoError(t, err)
	require.Equal(t, core.LocalityView{Level: core.OffRack}, v, "of a job that has none all is anywhere")
}

// The cap keeps a wait over a local launch if an offer was refused in the last round of heartbeats,
// as many as there are nodes; not over one that is farther than the level.
func TestCapOfAWait(t *testing.T) {
	for beats, want := range map[int]time.Duration{1: 2 * time.Second, 2: 2 * time.Second, 3: 0} {
		c, data, _, far := waitingJob(t, core.LocalityPolicy{Rule: core.TimedWait, Waits: []time.Duration{5 * time.Second, 5 * time.Second}, Capped: true})
		require.Empty(t, beat(t, c, 0, far))
		require.Empty(t, beat(t, c, 2*time.Second, far))
		c.Beat += uint64(beats - 1) // of full nodes
		require.Len(t, beat(t, c, 2*time.Second, data), 1)
		v, err := c.View().Locality(1)
		require.NoError(t, err)
		require.Equal(t, want, v.Wait, "%d heartbeats later", beats)
	}
	c, data, rack, far := waitingJob(t, core.LocalityPolicy{Rule: core.TimedWait, Waits: []time.Duration{5 * time.Second, 5 * time.Second}, Capped: true})
	require.Empty(t, beat(t, c, 0, far))
	require.Empty(t, beat(t, c, 6*time.Second, far))
	require.Len(t, beat(t, c, 6*time.Second, rack), 1)
	v, err := c.View().Locality(1)
	require.NoError(t, err)
	require.Equal(t, core.LocalityView{Level: core.RackLocal}, v)
	require.Len(t, beat(t, c, 6*time.Second, data), 1)
	c, data, _, _ = waitingJob(t, core.LocalityPolicy{Rule: core.TimedWait, Waits: []time.Duration{5 * time.Second, 5 * time.Second}, Capped: true})
	c.Placement[core.Map].(*delay.TimedWait).Of.Of(c.Job(1)).Wait = time.Second
	require.Len(t, beat(t, c, 0, data), 1)
	v, err = c.View().Locality(1)
	require.NoError(t, err)
	require.Zero(t, v.Wait, "no offer was refused")
}

// Waits go on, of maps and reduces, while many jobs come and the lists of waits grow.
func TestWaitsSurviveNewJobs(t *testing.T) {
	c, _, _, far := waitingJob(t, core.LocalityPolicy{Rule: core.TimedWait, Waits: []time.Duration{5 * time.Second, 0}})
	require.Empty(t, beat(t, c, 0, far))
	for range 100 {
		submit(t, c, core.JobSpec{Maps: 1, Places: on(1, 0)})
	}
	got := beat(t, c, 5*time.Second, far)
	require.Len(t, got, 1)
	require.Equal(t, core.JobID(1), got[0].Task.Job)

	c, _, nodes := gravityCore(t, core.CoGRS, []int{1, 1}, 1, map[int][]int64{0: {10}})
	require.Empty(t, beat(t, c, 0, nodes[1]))
	for range 100 {
		submit(t, c, core.JobSpec{Maps: 1, Reduces: 1})
		require.NoError(t, c.Kill(0, core.JobID(c.View().Jobs())))
		submit(t, c, core.JobSpec{Reduces: 1, SlowStart: 1, Maps: 1})
	}
	launched := map[core.JobID]bool{}
	for _, a := range beat(t, c, 10*time.Second, nodes[1]) {
		launched[a.Task.Job] = a.Task.Kind == core.Reduce
	}
	require.True(t, launched[1], "%v", launched)
}

// A refusal is credited unless the job launches a map in the same heartbeat, before or after it; a
// launch in an earlier one does not count.
func TestLaunchesAndRefusalsOfAHeartbeat(t *testing.T) {
	c, data, rack, _ := waitingJob(t, core.LocalityPolicy{Rule: core.TimedWait, Waits: []time.Duration{5 * time.Second, 5 * time.Second}})
	w, j := c.Placement[core.Map].(*delay.TimedWait), c.Job(1)
	for name, tc := range map[string]struct {
		offers func()
		want   time.Duration
	}{
		"refused":        {func() { w.Refused(j) }, time.Second},
		"refused twice":  {func() { w.Refused(j); w.Refused(j) }, time.Second},
		"refused first":  {func() { w.Refused(j); w.Begin() }, time.Second}, // another slot is offered
		"launched first": {func() { w.Launched(j, c.Nodes[data], core.NodeLocal); w.Refused(j) }, 0},
		"launched last":  {func() { w.Refused(j); w.Launched(j, c.Nodes[data], core.NodeLocal) }, 0},
		"launched before": {func() {
			w.Launched(j, c.Nodes[data], core.NodeLocal)
			c.Beat++
			w.Begin()
			w.Refused(j)
		}, time.Second},
	} {
		*w.Of.Of(j) = delay.Delayed{}
		c.Beat++
		w.Begin()
		tc.offers()
		c.Now += time.Second
		c.Beat++
		w.Begin()
		w.Begin() // of the next slot
		require.Equal(t, tc.want, w.Of.Of(j).Wait, name)
	}
	*w.Of.Of(j) = delay.Delayed{}
	require.Empty(t, beat(t, c, time.Minute, rack))
	require.NoError(t, c.Kill(time.Minute, 1))
	id := submit(t, c, core.JobSpec{Maps: 1, Places: on(1, data)})
	require.Empty(t, beat(t, c, 2*time.Minute, rack), "the wait of a job that has ended is not its successor's")
	v, err := c.View().Locality(id)
	require.NoError(t, err)
	require.Equal(t, core.LocalityView{Skipped: true}, v)
}

// Under a skip count the offers refused are told, and are the reason of a launch off the data; a
// count of no levels, and maps without a place, wait for nothing.
func TestReasonsOfSkipCounts(t *testing.T) {
	c, data, _, far := waitingJob(t, core.LocalityPolicy{Rule: core.SkipCount, Skips: []int{2}})
	for refused := range 2 {
		v, err := c.View().Locality(1)
		require.NoError(t, err)
		require.Equal(t, core.LocalityView{Skips: refused}, v)
		require.Empty(t, beat(t, c, 0, far))
	}
	v, until := c.Placement[core.Map].View(c.Job(1))
	require.Equal(t, core.LocalityView{Skips: 2}, v)
	require.Zero(t, until)
	got, err := c.Heartbeat(0, core.Heartbeat{Node: far})
	require.NoError(t, err)
	require.Equal(t, core.Reason{Cause: core.CauseWaited, Count: 2}, got.Actions[0].Reason)
	got, err = c.Heartbeat(0, core.Heartbeat{Node: data})
	require.NoError(t, err)
	require.Equal(t, core.Reason{Cause: core.CauseLocal}, got.Actions[0].Reason)
	c, _, _, far = waitingJob(t, core.LocalityPolicy{Rule: core.SkipCount})
	require.Len(t, beat(t, c, 0, far), 1)
	c, _, _, far = waitingJob(t, core.LocalityPolicy{Rule: core.SkipCount, Skips: []int{9}})
	require.NoError(t, c.Kill(0, 1))
	submit(t, c, core.JobSpec{Maps: 1})
	require.Len(t, beat(t, c, 0, far), 1)
}

// Timed waits hold under every order that goes by a locality rule, the one of Hadoop's FIFO included.
func TestWaitsUnderEveryOrder(t *testing.T) {
	for _, preset := range Presets() {
		if preset == "quincy" {
			continue // its flow weighs what is near by itself
		}
		c, n := newTestCore(t, preset, func(_ *core.Config, p *core.Policy) {
			p.Spread = false
			p.Locality = core.LocalityPolicy{Rule: core.TimedWait, Waits: []time.Duration{5 * time.Second, 5 * time.Second}}
		})
		submit(t, c, core.JobSpec{Maps: 2, Places: on(2, n[0])})
		require.Empty(t, beat(t, c, 0, n[3]), preset)
		require.Empty(t, beat(t, c, 9*time.Second, n[3]), preset)
		require.NotEmpty(t, beat(t, c, 10*time.Second, n[3]), preset)
	}
}
