package own

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// The same jobs, live on a fake clock and simulated, have the same locality within 2 points and the
// same mean sojourn time within 5 %. These are means of six seeds: single runs vary by some
// percent, since a late flow delays others.
func TestSimulatorAgreesWithLiveCluster(t *testing.T) {
	for _, p := range validationPolicies()[:2] { // the experiment has all
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			c, err := bothWays(t.Context(), 0, 6, 80, p)
			require.NoError(t, err)
			means := func(m study.Metric) (live, sim float64) {
				live, sim = c[0].By(m).Mean(), c[1].By(m).Mean()
				t.Logf("%.2f live %v, %.2f simulated %v", live, c[0].By(m), sim, c[1].By(m))
				return live, sim
			}
			live, sim := means(study.NodeLocal)
			require.InDelta(t, live, sim, 2)
			live, sim = means(study.MeanSojourn)
			require.InEpsilon(t, live, sim, 0.05)
			live, sim = means(offRackPart)
			require.InDelta(t, live, sim, 3)
		})
	}
}

// The reduces of a live job get the bytes that its maps emit, apart from the framing of records.
func TestValidationJobsMoveWhatTheySay(t *testing.T) {
	policies := validationPolicies()
	synctest.Test(t, func(t *testing.T) {
		job := validationJob{Job: workload.Job{
			Maps: 20, Reduces: 4, InputBytes: 20 * validationBlock,
			Map: workload.Cost{Time: 10 * time.Second}, Reduce: workload.Cost{Time: 5 * time.Second},
		}}
		o, err := runLive(t.Context(), []validationJob{job}, liveCluster(policies[0], 1))
		require.NoError(t, err)
		pass(time.Second)
		require.Equal(t, 20, o.Report.Maps.All())
		require.InDelta(t, 20*validationOutput, o.Jobs[0].Shuffle.All(), 20*4*16)
		require.Greater(t, o.Jobs[0].Sojourn(), 15*time.Second)
		require.Len(t, o.places[0].Offsets, 21)
	})
}

// pass advances the fake clock by d. Outside of a synctest bubble it panics, so that no test sleeps
// in real time.
func pass(d time.Duration) {
	synctest.Wait()
	time.Sleep(d)
	synctest.Wait()
}
