package virtual

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/scheduling/internal/shares"
)

func TestEstimators(t *testing.T) {
	s := []time.Duration{8 * time.Second, 10 * time.Second, 12 * time.Second}
	require.Equal(t, 100*time.Second, Mean(s, 10))
	same := []time.Duration{time.Second, time.Second, time.Second, time.Second}
	require.InDelta(t, 50, LogNormal(same, 50).Seconds(), 1e-6)
	require.InDelta(t, 0, normalQuantile(0.5), 1e-12)
	require.InDelta(t, 1.959964, normalQuantile(0.975), 1e-5)
	tail := []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second, 16 * time.Second}
	require.Greater(t, LogNormal(tail, 1000), Mean(tail, 1000), "the fit allows for a tail beyond the sample")
}

// slowFluid runs divisible jobs in short steps. In each step, shares.Divide divides the slots.
func slowFluid(jobs []*Job, slots int, step float64) []float64 {
	left, finish := make([]float64, len(jobs)), make([]float64, len(jobs))
	for i, v := range jobs {
		left[i] = v.Left().Seconds()
	}
	for now, more := 0.0, true; more; now += step {
		more = false
		claims := make([]shares.Claim, len(jobs))
		for i, v := range jobs {
			claims[i].Weight = v.Weight
			if left[i] > 0 {
				claims[i].Demand, more = float64(v.Tasks), true
			}
		}
		shares.Divide(claims, float64(slots))
		for i := range left {
			if left[i] > 0 {
				if left[i] -= claims[i].Share * step; left[i] <= 0 {
					finish[i] = now + step
				}
			}
		}
	}
	return finish
}

func TestFluidProjectionAgainstSteps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := Cluster{slots: rapid.IntRange(1, 40).Draw(t, "slots")}
		for i := range rapid.IntRange(1, 8).Draw(t, "jobs") {
			tasks, each := rapid.IntRange(1, 30).Draw(t, "tasks"), rapid.IntRange(1, 9).Draw(t, "seconds")
			v := &Job{ID: int64(i + 1), Size: tasks, Weight: rapid.SampledFrom([]float64{0.5, 1, 2}).Draw(t, "weight")}
			v.Resize(tasks, time.Duration(each)*time.Second)
			c.Insert(v)
		}
		const step = 0.05
		want := slowFluid(c.jobs, c.slots, step)
		c.Project()
		for i, v := range c.jobs {
			require.InDelta(t, want[i], v.Finish.Seconds(), 10*step+0.02*want[i])
		}
	})
}
