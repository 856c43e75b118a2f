package hfsp

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/coretest"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// built has this package's orders, the only parts that the tests' policies name.
var built = &core.Policies{Orders: map[string]func(*core.Core, *model.Policy) (core.Order, error){"hfsp": New, "srpt": NewSRPT}}

// exact is a policy that knows the sizes of jobs when they are submitted.
var exact = model.HFSPPolicy{NoTraining: true}

// hfspCore returns a Core under hfsp with one node, which has number 0, and its order.
func hfspCore(t require.TestingT, p model.HFSPPolicy, n model.Node) (*core.Core, *Order) {
	n.Name = "n"
	c := coretest.New(t, built, core.Config{}, model.Policy{Order: "hfsp", HFSP: p, SlowStart: -1}, n)
	return c, c.Order.(*Order)
}

func byText(a, b model.AttemptID) int { return cmp.Compare(a.String(), b.String()) }

// threeReduces returns a Core under hfsp with one slot. Its job has three reduces; one is measured.
func threeReduces(t *testing.T) *core.Core {
	c, _ := hfspCore(t, model.HFSPPolicy{Sample: 1}, model.Node{ReduceSlots: 1})
	coretest.Submit(t, c, model.JobSpec{Reduces: 3})
	return c
}

// A reduce's time before it gets input does not count for its size. The size is estimated when
// Delta has passed since then, not since its launch.
func TestShuffleIsNoExecution(t *testing.T) {
	c := threeReduces(t)
	r := coretest.Beat(t, c, 0, 0)
	coretest.Beat(t, c, 178*time.Second, 0, model.Status{Attempt: r[0]})
	coretest.Beat(t, c, 180*time.Second, 0, model.Status{Attempt: r[0], ReduceProgress: 0.01})
	v, _ := c.View().Virtual(1, model.Reduce)
	require.Zero(t, v.Left, "no estimate yet: of the guess of 180 s all has passed")
	coretest.Beat(t, c, 238*time.Second, 0, model.Status{Attempt: r[0], ReduceProgress: 0.3})
	v, _ = c.View().Virtual(1, model.Reduce)
	require.Equal(t, 540*time.Second, v.Left, "3 × 60 s / 0.3, less the 60 s done")
}

// A small job that arrives while 130 larger ones run is first in the order at once.
func TestSmallJobAmongManyGoesFirst(t *testing.T) {
	c, _ := hfspCore(t, exact, model.Node{MapSlots: 2})
	submit := func(maps int) model.JobID {
		return coretest.Submit(t, c, model.JobSpec{Maps: maps, MapTime: 10 * time.Second})
	}
	for range 130 {
		submit(40)
	}
	require.NoError(t, c.Update(time.Minute))
	small, smallest := submit(4), submit(3)
	require.Equal(t, []model.JobID{smallest, small}, c.View().Order(model.Map)[:2])
	got := coretest.Beat(t, c, time.Minute, 0)
	require.Equal(t, smallest, got[0].Task.Job)
	require.NoError(t, c.Update(2*time.Minute))
	require.Equal(t, []model.JobID{smallest, small}, c.View().Order(model.Map)[:2])
}

// The virtual work of a job that has succeeded continues; otherwise other jobs would get its slots
// too early. The work of a killed job does not continue.
func TestVirtualWorkOfEndedJobs(t *testing.T) {
	c, o := hfspCore(t, exact, model.Node{MapSlots: 2})
	killed := coretest.Submit(t, c, model.JobSpec{Maps: 1, MapTime: time.Hour})
	virtual := func(id model.JobID) func() int {
		v := &o.Sized(c.Job(id), model.Map).V
		return func() int { return v.Slots }
	}
	slots := virtual(killed)
	require.NoError(t, c.Kill(0, killed))
	require.Zero(t, slots())
	require.Empty(t, o.All[model.Map])
	slots = virtual(coretest.Submit(t, c, model.JobSpec{Maps: 1, MapTime: time.Hour}))
	coretest.Submit(t, c, model.JobSpec{Maps: 1, MapTime: time.Hour})
	got := coretest.Beat(t, c, 0, 0)
	require.Len(t, got, 2)
	coretest.Beat(t, c, time.Minute, 0, model.Status{Attempt: got[0], State: model.StateSucceeded})
	require.Equal(t, 1, slots())
	require.Len(t, o.All[model.Map], 1)
	require.NoError(t, c.Update(time.Hour))
	o.age(model.Map)
	require.Zero(t, slots())
	_, err := c.View().Virtual(9, model.Map)
	require.ErrorIs(t, err, core.ErrUnknownJob)
	v, err := c.View().Virtual(2, model.Map)
	require.NoError(t, err)
	require.Zero(t, v, "it has ended")
	v, err = c.View().Virtual(3, model.Reduce)
	require.NoError(t, err)
	require.Zero(t, v, "it has none")
	other := coretest.New(t, built, core.Config{}, model.Policy{Order: "srpt"})
	coretest.Submit(t, other, model.JobSpec{Maps: 1})
	_, err = other.View().Virtual(1, model.Map)
	require.ErrorContains(t, err, "has no virtual cluster")
}

// Once SuspendHigh tasks are suspended, no more are until SuspendLow remain. This does not apply
// without a limit, or if attempts are killed instead.
func TestSuspensionStopsAndBegins(t *testing.T) {
	c, o := hfspCore(t, model.HFSPPolicy{SuspendHigh: 4, SuspendLow: 2}, model.Node{})
	for _, x := range []struct {
		suspended int
		want      bool
	}{{0, true}, {3, true}, {4, false}, {3, false}, {2, true}, {3, true}, {5, false}, {1, true}} {
		c.Suspend = x.suspended
		require.Equal(t, x.want, o.reclaims(), "%+v", x)
	}
	for reclaim, want := range map[model.Reclaim]bool{model.EagerSuspend: true, model.KillLarger: true, model.WaitForSlot: false} {
		c, o := hfspCore(t, model.HFSPPolicy{Reclaim: reclaim}, model.Node{})
		c.Suspend = 99
		require.Equal(t, want, o.reclaims())
		require.Equal(t, want, o.MayReclaim())
	}
}

// Of a job's attempts on a node, the newest is suspended first and the oldest resumed first. Of
// equally old ones it is the one with the lowest index.
func TestWhichAttemptIsSuspended(t *testing.T) {
	c, o := hfspCore(t, exact, model.Node{ReduceSlots: 4})
	j := c.Job(coretest.Submit(t, c, model.JobSpec{Reduces: 4}))
	require.Len(t, coretest.Beat(t, c, 0, 0), 4)
	starts := []time.Duration{5, 3, 5, 3}
	for _, ai := range c.Nodes[0].Atts {
		c.Attempts[ai].Start = starts[c.Attempts[ai].ID.Task.Index]
	}
	at := func(suspended bool, sign int) int32 {
		ai := o.Extreme(j, c.Nodes[0], model.Reduce, suspended, sign)
		if ai < 0 {
			return -1
		}
		return c.Attempts[ai].ID.Task.Index
	}
	require.Equal(t, []int32{0, 1, -1}, []int32{at(false, 1), at(false, -1), at(true, 1)})
	require.Equal(t, int32(-1), o.Extreme(j, c.Nodes[0], model.Map, false, 1))
	c.Nodes[0].Atts[0], c.Nodes[0].Atts[3] = c.Nodes[0].Atts[3], c.Nodes[0].Atts[0] // in any order
	c.Nodes[0].Atts[1], c.Nodes[0].Atts[2] = c.Nodes[0].Atts[2], c.Nodes[0].Atts[1]
	require.Equal(t, []int32{0, 1}, []int32{at(false, 1), at(false, -1)})
}

// A job of known size may lose all its slots. Before, it may lose those beyond its training tasks.
// A job that must not be suspended loses none.
func TestWhatAJobMayLose(t *testing.T) {
	for _, x := range []struct {
		reclaim             model.Reclaim
		estimate, noSuspend bool
		want                int
	}{
		{model.EagerSuspend, true, false, 7}, {model.EagerSuspend, false, false, 4}, {model.EagerSuspend, true, true, 0}, {model.KillLarger, true, true, 7}, {model.KillLarger, false, true, 4}, {model.WaitForSlot, true, true, 0},
	} {
		_, o := hfspCore(t, model.HFSPPolicy{Reclaim: x.reclaim, Sample: 3}, model.Node{})
		v := &Sized{Estimate: x.estimate, Job: &core.Job{Spec: model.JobSpec{NoSuspend: x.noSuspend}, Work: [model.Kinds]core.Work{model.Map: {Running: 7}}}}
		require.Equal(t, x.want, o.Spare(v, model.Map), "%+v", x)
		v.Job.Work[model.Map].Running = 2
		require.GreaterOrEqual(t, o.Spare(v, model.Map), 0)
	}
}

// The time of a reduce counts from the end of the last map, and from its last report without input.
// The time of a map counts from its launch.
func TestWhatIsExecution(t *testing.T) {
	c, o := hfspCore(t, exact, model.Node{})
	c.Now = 100
	for _, x := range []struct {
		kind                      model.TaskKind
		start, mapsDone, shuffled time.Duration
		mapsLeft                  int
		want                      time.Duration
	}{
		{model.Map, 40, 70, 0, 1, 60}, {model.Reduce, 40, 70, 0, 1, 0}, {model.Reduce, 40, 70, 0, 0, 30}, {model.Reduce, 40, 30, 0, 0, 60}, {model.Reduce, 40, 70, 50, 0, 10}, {model.Reduce, 40, 70, 10, 0, 30},
	} {
		j := &core.Job{MapsDone: x.mapsDone, Work: [model.Kinds]core.Work{model.Map: {Tasks: make([]core.Task, 2), Done: 2 - x.mapsLeft}}}
		a := &core.Attempt{ID: model.AttemptID{Task: model.TaskID{Kind: x.kind}}, Job: j, Start: x.start, Since: x.start}
		require.Equal(t, x.want, o.executed(a, &trainingSample{Shuffled: x.shuffled}), "%+v", x)
	}
}

// server runs jobs of one kind on one node under hfsp until all have ended, and returns their
// finish times. Every job fills the node: with one task per slot or, if `small` is set, with tasks
// of one second.
func server(t require.TestingT, slots int, arrive []int, work []int, small bool) []time.Duration {
	c, _ := hfspCore(t, exact, model.Node{ReduceSlots: slots})
	left, running := map[model.AttemptID]int{}, map[model.AttemptID]bool{}
	finish := make([]time.Duration, len(arrive))
	for now := range 10000 {
		at := time.Duration(now) * time.Second
		require.NoError(t, c.Update(at))
		for i, a := range arrive {
			if a == now {
				tasks, each := slots, time.Duration(work[i])*time.Second
				if small {
					tasks, each = slots*work[i], time.Second
				}
				coretest.Submit(t, c, model.JobSpec{Name: fmt.Sprint(i), Reduces: tasks, ReduceTime: each})
			}
		}
		var list []model.Status
		for _, id := range slices.SortedFunc(maps.Keys(running), byText) {
			if left[id]--; left[id] == 0 {
				delete(running, id)
				list = append(list, model.Status{Attempt: id, State: model.StateSucceeded})
			}
		}
		got, err := c.Heartbeat(at, model.Heartbeat{Statuses: list})
		require.NoError(t, err)
		for _, o := range got.Actions {
			switch o.Verb {
			case model.Launch:
				left[o.Attempt], running[o.Attempt] = work[o.Attempt.Task.Job-1], true
				if small {
					left[o.Attempt] = 1
				}
			case model.Resume:
				running[o.Attempt] = true
			case model.Suspend:
				delete(running, o.Attempt)
			case model.Kill:
				require.Fail(t, "nothing is killed here", "%v", o)
			}
		}
		over := true
		for i := range arrive {
			over = over && i < c.View().Jobs()
			if i < c.View().Jobs() && finish[i] == 0 {
				if v, _ := c.View().Job(model.JobID(i + 1)); v.State == model.JobSucceeded {
					finish[i] = v.Finished
				} else {
					over = false
				}
			}
		}
		if over {
			break
		}
	}
	return finish
}

// processorSharing returns the finish time of each job on a server that all jobs share equally, in
// fractions of any size.
func processorSharing(arrive, work []int) []float64 {
	n := len(arrive)
	left, finish := make([]float64, n), make([]float64, n)
	for i, w := range work {
		left[i] = float64(w)
	}
	for now := 0.0; ; {
		active, next := 0, math.Inf(1)
		for i := range left {
			if float64(arrive[i]) > now {
				next = min(next, float64(arrive[i])-now)
			} else if left[i] > 1e-9 {
				active++
			}
		}
		for i := range left {
			if float64(arrive[i]) <= now && left[i] > 1e-9 {
				next = min(next, left[i]*float64(active))
			}
		}
		if math.IsInf(next, 1) {
			return finish
		}
		for i := range left {
			if float64(arrive[i]) <= now && left[i] > 1e-9 {
				if left[i] -= next / float64(active); left[i] <= 1e-9 {
					finish[i] = now + next
				}
			}
		}
		now += next
	}
}

// On one server, with exact sizes, no job finishes later than under processor sharing [HFSP §2;
// Friedman and Henderson prove it for FSP].
func TestNoJobLaterThanUnderProcessorSharing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(t, "n")
		var arrive, work []int
		at := 0
		for range n {
			arrive = append(arrive, at)
			work = append(work, rapid.IntRange(1, 20).Draw(t, "work"))
			at += rapid.IntRange(1, 15).Draw(t, "gap")
		}
		got := server(t, 60, arrive, work, true) // 60 slots divide evenly among 1 to 6 jobs
		ps := processorSharing(arrive, work)
		for i := range got {
			// Two things make a job later than in theory. The virtual cluster gives whole slots, so
			// tasks must be small to share equally. Actions take effect at whole seconds, so a job
			// may lose up to a second each time another ends.
			require.LessOrEqual(t, got[i].Seconds(), ps[i]+float64(n), "job %d", i)
		}
	})
}
