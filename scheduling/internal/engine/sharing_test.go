package engine

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/scheduling/internal/core"
)

// server runs jobs of one kind on a single node with the given policy until all have ended, and
// returns the finish times; every job fills the whole node: with one task a slot, or, if small,
// with tasks of one second.
func server(t require.TestingT, p core.Policy, slots int, arrive []int, work []int, small bool) []time.Duration {
	c, err := NewCore(core.Config{}, p)
	require.NoError(t, err)
	n, err := c.Join(0, core.Node{Name: "n", ReduceSlots: slots})
	require.NoError(t, err)
	left, running := map[core.AttemptID]int{}, map[core.AttemptID]bool{}
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
				_, err := c.Submit(at, core.JobSpec{Name: fmt.Sprint(i), Reduces: tasks, ReduceTime: each})
				require.NoError(t, err)
			}
		}
		var list []core.Status
		for _, id := range sortedAttempts(running) {
			if left[id]--; left[id] == 0 {
				delete(running, id)
				list = append(list, core.Status{Attempt: id, State: core.StateSucceeded})
			}
		}
		got, err := c.Heartbeat(at, core.Heartbeat{Node: n, Statuses: list})
		require.NoError(t, err)
		for _, o := range got.Actions {
			switch o.Verb {
			case core.Launch:
				left[o.Attempt], running[o.Attempt] = work[o.Attempt.Task.Job-1], true
				if small {
					left[o.Attempt] = 1
				}
			case core.Resume:
				running[o.Attempt] = true
			case core.Suspend:
				delete(running, o.Attempt)
			case core.Kill:
				require.Fail(t, "nothing is killed here", "%v", o)
			}
		}
		over := true
		for i := range arrive {
			over = over && i < c.View().Jobs()
			if i < c.View().Jobs() && finish[i] == 0 {
				if v, _ := c.View().Job(core.JobID(i + 1)); v.State == core.JobSucceeded {
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

// processorSharing is the finish time of each job on a server that all jobs share evenly, divisible
// without end.
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

// HFSP §2 (and Friedman and Henderson for FSP): on one server with exact sizes no job finishes
// later than under processor sharing.
func TestNoJobLaterThanUnderProcessorSharing(t *testing.T) {
	p, err := Preset("hfsp")
	require.NoError(t, err)
	p.HFSP.NoTraining = true
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(t, "n")
		var arrive, work []int
		at := 0
		for range n {
			arrive = append(arrive, at)
			work = append(work, rapid.IntRange(1, 20).Draw(t, "work"))
			at += rapid.IntRange(1, 15).Draw(t, "gap")
		}
		got := server(t, p, 60, arrive, work, true) // 60 divides by 1 to 6 jobs, so whole slots share evenly
		ps := processorSharing(arrive, work)
		for i := range got {
			// The virtual cluster runs whole tasks, so only with small ones is it a server that is
			// shared evenly. Actions take effect at whole seconds: a job may lose less than one
			// second each time another ends.
			require.LessOrEqual(t, got[i].Seconds(), ps[i]+float64(n), "job %d", i)
		}
	})
}

// HFSP Fig. 1: 25 s against 35 s.
func TestSingleServerExample(t *testing.T) {
	p, err := Preset("hfsp")
	require.NoError(t, err)
	p.HFSP.NoTraining = true
	arrive, work := []int{0, 10, 15}, []int{30, 10, 10}
	require.Equal(t, []time.Duration{50 * time.Second, 20 * time.Second, 30 * time.Second}, server(t, p, 10, arrive, work, false))
	require.InDeltaSlice(t, []float64{50, 37.5, 42.5}, processorSharing(arrive, work), 1e-6)
}

// Fair shares follow the slots that there are.
func TestSharesFollowTheSlots(t *testing.T) {
	c, _ := newTestCore(t, "hfs", nil)
	_, err := c.Submit(0, core.JobSpec{User: "u", Maps: 100})
	require.NoError(t, err)
	had := c.View().Pools()
	_, err = c.Join(0, core.Node{Name: "another", MapSlots: 7})
	require.NoError(t, err)
	for i, p := range c.View().Pools() {
		if p.Name == "u" {
			require.InDelta(t, had[i].Kinds[core.Map].Share+7, p.Kinds[core.Map].Share, 1e-9)
		}
	}
}
