package setup

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling/simulator"
)

func TestTimeline(t *testing.T) {
	res := &simulator.Result{Jobs: make([]simulator.JobResult, 2)}
	for n, held := range [][2]int{{4, 0}, {3, 1}, {1, 3}, {2, 2}} {
		s := simulator.Sample{At: time.Duration(n) * 2 * time.Second}
		for job, slots := range held {
			if slots > 0 { // jobs that hold none are not told
				s.Jobs = append(s.Jobs, simulator.JobSlots{Job: job, Slots: [2]int{slots, 9}})
			}
		}
		res.Samples = append(res.Samples, s)
	}
	line := NewTimeline(res)
	require.InDelta(t, 2, line.Mean(2*time.Second, 6*time.Second, 0), 1e-9, "of 3 and 1")
	require.InDelta(t, 4, line.Mean(0, 8*time.Second, 0, 1), 1e-9, "together")
	require.Equal(t, []float64{0, 1, 3, 2}, line.Between(0, 8*time.Second, []int{1}))
	require.InDelta(t, 4, line.Reach(0, 2, 1), 1e-9, "at the third sample")
	require.InDelta(t, 2, line.Reach(2*time.Second, 2, 1), 1e-9)
	require.InDelta(t, 8, line.Reach(0, 4, 1), 1e-9, "never")
	require.InDelta(t, 62.5, line.Parts().Mean(4*time.Second, 8*time.Second, 1), 1e-9, "of 75 and 50 %")
}
