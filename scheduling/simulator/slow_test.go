package simulator

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// All tasks on a slow node take SlowFactor times as long.
func TestSlowNodesAreSlow(t *testing.T) {
	w := &workload.Workload{Name: "one", Jobs: []workload.Job{{Name: "j", Maps: 4, Map: workload.Cost{Setup: -1, Time: 10 * time.Second}}}}
	took := func(slow float64) time.Duration {
		cfg := Config{Cluster: Cluster{Nodes: 2, MapSlots: 2, SlowNodes: slow, SlowFactor: 3}, Policy: preset(t, "fair"), Seed: 1}
		return run(t, cfg, w).Jobs[0].Sojourn()
	}
	require.Equal(t, 3*took(0), took(1))
}
