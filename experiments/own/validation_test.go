package own

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// merge adds the result of another run.
func (o *outcome) merge(p *outcome) {
	o.maps.Add(p.maps)
	o.shuffle.Add(p.shuffle)
	o.sojourns = append(o.sojourns, p.sojourns...)
}

// The same jobs, live on a fake clock and simulated, have the same locality within 2 points and the
// same mean sojourn time within 5 %. These are means of six seeds: single runs vary by some
// percent, since a late flow delays others.
func TestSimulatorAgreesWithLiveCluster(t *testing.T) {
	const seeds = 6
	policies := validationPolicies()[:2] // the experiment has all
	for _, p := range policies {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			live, sim := new(outcome), new(outcome)
			for seed := range uint64(seeds) {
				synctest.Test(t, func(t *testing.T) {
					jobs := validationJobs(seed, 80)
					a, err := runLive(t.Context(), jobs, liveCluster(p, seed))
					require.NoError(t, err)
					pass(time.Second) // the actor library's throttle of dead letters
					b, err := simulated(t.Context(), jobs, p, a, seed)
					require.NoError(t, err)
					t.Logf("seed %d: node-local %.1f %% live, %.1f %% simulated; mean sojourn "+
						"%.2f s live, %.2f s simulated; off-rack shuffle %.1f %% live, %.1f %% "+
						"simulated",
						seed, a.locality(), b.locality(), a.mean(), b.mean(), a.offRack(),
						b.offRack())
					live.merge(a)
					sim.merge(b)
				})
			}
			t.Logf("all: node-local %.2f %% live, %.2f %% simulated; mean sojourn %.2f s live, "+
				"%.2f s simulated; off-rack shuffle %.2f %% live, %.2f %% simulated",
				live.locality(), sim.locality(), live.mean(), sim.mean(), live.offRack(),
				sim.offRack())
			require.InDelta(t, live.locality(), sim.locality(), 2)
			require.InEpsilon(t, live.mean(), sim.mean(), 0.05)
			require.InDelta(t, live.offRack(), sim.offRack(), 3)
		})
	}
}

// The reduces of a live job get the bytes that its maps emit, apart from the framing of records.
func TestValidationJobsMoveWhatTheySay(t *testing.T) {
	policies := validationPolicies()
	synctest.Test(t, func(t *testing.T) {
		job := validationJob{
			maps: 20, reduces: 4, mapTime: 10 * time.Second, reduceTime: 5 * time.Second,
		}
		o, err := runLive(t.Context(), []validationJob{job}, liveCluster(policies[0], 1))
		require.NoError(t, err)
		pass(time.Second)
		require.Equal(t, 20, o.maps.All())
		require.InDelta(t, 20*validationOutput, o.shuffled[0], 20*4*16)
		require.Greater(t, o.sojourns[0], 15*time.Second)
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
