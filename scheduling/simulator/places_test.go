package simulator

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// TestGivenPlaces puts all blocks on one node: only its two slots can run maps beside their data.
func TestGivenPlaces(t *testing.T) {
	policy, err := scheduling.Preset("fifo")
	require.NoError(t, err)
	policy.Spread = false
	policy.Locality = scheduling.LocalityPolicy{Rule: scheduling.TimedWait, Waits: []time.Duration{time.Hour, time.Hour}}
	w := workload.Workload{Jobs: []workload.Job{{Name: "a", Maps: 3, InputBytes: 3 << 20, Map: workload.Cost{Time: time.Second}}}}
	cfg := Config{
		Cluster: Cluster{Nodes: 4, Racks: 2, MapSlots: 2, Setup: -1, ReadRate: 1e15}, Policy: policy,
		Places: func(i int) scheduling.Places {
			require.Zero(t, i)
			return scheduling.Places{Offsets: []int32{0, 1, 2, 3}, Nodes: []scheduling.NodeID{3, 3, 3}}
		},
	}
	r, err := Run(context.Background(), cfg, &w)
	require.NoError(t, err)
	require.Equal(t, MapPlaces{NodeLocal: 3}, r.Report.Maps)
	require.Equal(t, 2.0, r.Report.MakespanS)
}

func TestNodesInTurn(t *testing.T) {
	top := newTopology(7, 3)
	require.Equal(t, []int32{0, 3, 5, 1, 4, 6, 2}, top.inTurn())
}
