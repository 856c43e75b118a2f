package simulator

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/event"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// TestGivenPlaces puts all blocks on one node, so that only its two slots run node-local maps.
func TestGivenPlaces(t *testing.T) {
	policy := preset(t, "fifo")
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
	r := run(t, cfg, &w)
	require.Equal(t, MapPlaces{NodeLocal: 3}, r.Report.Maps)
	require.Equal(t, 2.0, r.Report.MakespanS)
}

// A job from a trace runs its maps in the racks of the trace, modulo the number of racks. Its
// reduces get the bytes of the trace.
func TestTracedJob(t *testing.T) {
	policy := preset(t, "fair")
	policy.Locality = scheduling.LocalityPolicy{Rule: scheduling.TimedWait, Waits: []time.Duration{time.Hour, time.Hour}}
	policy.SlowStart, policy.Reduce.Rule = 1, scheduling.CoGRS
	w := workload.Workload{Jobs: []workload.Job{{
		Name: "a", User: "u", Maps: 2, MapRacks: []int32{1, 4}, Reduces: 2, ShuffleBytes: 1000, Partitions: []int64{900, 100}, Map: workload.Cost{Time: time.Second},
	}}}
	cfg := Config{Cluster: Cluster{Nodes: 6, Racks: 3, MapSlots: 2}, Policy: policy, Drive: HeartbeatDrive}
	var nodes []scheduling.NodeID
	var told []int64
	cfg.Core.Events = func(e event.Event) {
		if e.Type == event.Launched && e.Kind == scheduling.Map {
			nodes = append(nodes, e.Node)
		}
		if e.Type == event.Launched && e.Placed != nil {
			told = append(told, e.Placed.AtCenter)
		}
	}
	r := run(t, cfg, &w)
	for _, n := range nodes {
		require.Contains(t, []scheduling.NodeID{2, 3}, n, "rack 1 of 3 has nodes 2 and 3")
	}
	slices.Sort(told)
	s := r.Report.Shuffle
	require.Equal(t, int64(1000), s.NodeLocal+s.RackLocal)
	for _, at := range told { // half of the partition comes over 2 links; none if both maps ran on one node
		require.Contains(t, []int64{0, 100, 900}, at)
	}
	w.Jobs[0].Partitions = []int64{900, 99}
	_, err := Run(t.Context(), cfg, &w)
	require.ErrorContains(t, err, "2 partitions for 2 reduces, 1 of the shuffled bytes missing")
	w.Jobs[0].Partitions, w.Jobs[0].MapRacks = nil, []int32{1}
	_, err = Run(t.Context(), cfg, &w)
	require.ErrorContains(t, err, "racks for 1 of 2 maps")
}

func TestNodesInTurn(t *testing.T) {
	top := topologyOf(Cluster{Nodes: 7, Racks: 3})
	require.Equal(t, []int32{0, 3, 5, 1, 4, 6, 2}, top.inTurn())
}
