package simulator

import (
	"bytes"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/calls"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// The call log of a simulation, replayed on a fresh Core, gives the same actions. This holds for
// each scheduler and reduce placement, with regular heartbeats and without, also with failures.
func TestReplay(t *testing.T) {
	w := workload.FacebookMixed(rand.New(rand.NewPCG(1, 0)))
	capMaps(&w, 10, 25)
	for _, name := range scheduling.Presets() {
		for _, drive := range []Drive{EventDrive, HeartbeatDrive} {
			for _, rule := range []scheduling.ReduceRule{scheduling.AnyNode, scheduling.CoGRS} {
				var log bytes.Buffer
				calls := calls.NewWriter(&log)
				p := preset(t, name)
				p.Reduce.Rule = rule
				cfg := Config{
					Cluster: Cluster{Nodes: 12, Racks: 3}, Drive: drive, Interval: 2 * time.Second, Update: 5 * time.Second, Policy: p, Seed: 9,
					Core:     scheduling.Config{Calls: calls.Write, HeartbeatInterval: time.Second, Expiry: time.Minute},
					Failures: Failures{Outages: []Outage{{Node: 3, At: 100 * time.Second, For: 200 * time.Second}}, TaskFails: 0.01},
				}
				run(t, cfg, &w)
				require.NoError(t, calls.Err())
				require.NotZero(t, log.Len())
				core, err := scheduling.NewCore(scheduling.Config{HeartbeatInterval: time.Second, Expiry: time.Minute}, p)
				require.NoError(t, err)
				require.NoError(t, core.Replay(&log), "%s %v %v", name, drive, rule)
			}
		}
	}
}
