package simulator

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// arrivals returns n jobs of one map of 10 s, which arrive at random with the given mean gap.
func arrivals(n int, gap time.Duration) *workload.Workload {
	w := &workload.Workload{Name: "arrivals"}
	rng := rand.New(rand.NewPCG(1, 2))
	at := time.Duration(0)
	for range n {
		w.Jobs = append(w.Jobs, workload.Job{
			Submit: at, Maps: 1, NoLocation: true, Map: workload.Cost{Setup: -1, Time: 10 * time.Second},
		})
		at += time.Duration(rng.ExpFloat64() * float64(gap))
	}
	return w
}

// Stretch changes the times of arrival so that the jobs use the given fraction of the slots.
func TestStretchReachesTheLoad(t *testing.T) {
	policy := preset(t, "fair")
	cfg := Config{Cluster: Cluster{Nodes: 5, MapSlots: 2, ReduceSlots: -1}, Policy: policy}
	for _, gap := range []time.Duration{time.Hour, time.Minute, 100 * time.Millisecond} {
		w := arrivals(4000, gap)
		require.InDelta(t, 1/gap.Seconds(), Load(cfg, w)[scheduling.Map], 0.05/gap.Seconds())
		factor := Stretch(cfg, w, 0.8)
		require.InEpsilon(t, 1/gap.Seconds()/0.8, factor, 0.05)
		require.InDelta(t, 0.8, Load(cfg, w)[scheduling.Map], 1e-6)
		res, err := Run(context.Background(), cfg, w)
		require.NoError(t, err)
		require.InDelta(t, 0.8, res.Report.Utilization.Map, 0.02)
	}
}

// Load counts the slots of each task, of reduces too. If all jobs arrive at one time, Stretch
// cannot give a workload another load.
func TestLoad(t *testing.T) {
	cfg := Config{Cluster: Cluster{Nodes: 10, MapSlots: 1, ReduceSlots: 1}}
	job := workload.Job{
		Maps: 2, Reduces: 5, SlotsPerTask: 2, Map: workload.Cost{Setup: -1, Time: 10 * time.Second},
		Reduce: workload.Cost{Setup: -1, Time: 20 * time.Second},
	}
	later := job
	later.Submit = 100 * time.Second
	w := &workload.Workload{Jobs: []workload.Job{job, later}}
	require.Equal(t, [2]float64{0.08, 0.4}, Load(cfg, w))
	require.InDelta(t, 0.5, Stretch(cfg, w, 0.8), 1e-9)
	require.Equal(t, 50*time.Second, w.Jobs[1].Submit)

	w = &workload.Workload{Jobs: []workload.Job{job, job}}
	require.True(t, math.IsInf(Load(cfg, w)[0], 1))
	require.Zero(t, Stretch(cfg, w, 0.8))
	require.Zero(t, Stretch(cfg, &workload.Workload{}, 0.8))
}
