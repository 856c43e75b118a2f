package experiments

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/stretchr/testify/assert"
)

// TestSimulatorAgreesWithLiveCluster runs the same jobs live, on a fake clock, and simulated: locality within 2 points, mean sojourn within 5 %.
func TestSimulatorAgreesWithLiveCluster(t *testing.T) {
	policies, err := validationPolicies()
	require.NoError(t, err)
	for _, p := range policies {
		for seed := range uint64(3) {
			synctest.Test(t, func(t *testing.T) {
				jobs := validationJobs(seed, 40)
				live, err := runLive(t.Context(), jobs, p, 1, seed)
				require.NoError(t, err)
				time.Sleep(time.Second) // the actor library's throttle of dead letters
				sim, err := simulated(t.Context(), jobs, p, live, validationUpdate, seed)
				require.NoError(t, err)
				t.Logf("%s, seed %d: node-local %.1f %% live, %.1f %% simulated; mean sojourn %.2f s live, %.2f s simulated; off-rack shuffle %.1f %% live, %.1f %% simulated; one job's sojourn at most %.1f s apart",
					p.Name, seed, live.locality(), sim.locality(), live.mean(), sim.mean(), live.offRack(), sim.offRack(), furthest(live, sim))
				assert.InDelta(t, live.locality(), sim.locality(), 2)
				assert.InEpsilon(t, live.mean(), sim.mean(), 0.05)
			})
		}
	}
}
