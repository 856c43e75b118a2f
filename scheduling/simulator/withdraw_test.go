package simulator

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/event"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// When a node fails, the Core no longer counts its map outputs; a map that reruns counts on its new
// node. At each launch of a reduce, the distance that the Core reports is that of the outputs that
// exist.
func TestLostOutputsNoLongerWeigh(t *testing.T) {
	for _, flows := range []bool{false, true} {
		w := workload.Workload{Jobs: []workload.Job{{
			Name: "j", User: "u", Maps: 60, Reduces: 40, InputBytes: 60 << 20, ShuffleBytes: 600 << 20, SlowStart: 0.1, Skew: workload.Skew{Cells: 1.5},
			Map: workload.Cost{Setup: -1, Time: 10 * time.Second, Spread: 0.5}, Reduce: workload.Cost{Setup: -1, Time: 5 * time.Second},
		}}}
		cfg := Config{
			Cluster: Cluster{Nodes: 6, Racks: 2, MapSlots: 2, ReduceSlots: 10}, Network: Network{Flows: flows}, Policy: preset(t, "hfs"), Seed: 4, TellProgress: true,
			Drive: HeartbeatDrive, Interval: time.Second, Core: scheduling.Config{Expiry: 10 * time.Second},
			Failures: Failures{Outages: []Outage{{Node: 2, At: 25 * time.Second, For: 40 * time.Second}, {Node: 4, At: 100 * time.Second}}},
		}
		cfg.Policy.Reduce.Rule = scheduling.CoGRS
		var s *sim
		checked, lost := 0, false
		gone := map[scheduling.NodeID]bool{} // nodes that the Core has expired
		cfg.Core.Events = func(e event.Event) {
			switch e.Type {
			case event.OutputLost:
				lost = true
			case event.Lost, event.Joined:
				gone[e.Node] = e.Type == event.Lost
			default:
			}
			if e.Type != event.Launched || e.Placed == nil || !lost || len(s.nodes[e.Node].endReports) > 0 {
				return
			}
			for i := range s.nodes {
				if s.nodes[i].down && !gone[scheduling.NodeID(i)] {
					return // the node has failed, but the Core has not expired it yet
				}
			}
			in := s.inputs(&s.jobs[0], int32(e.Node), int(e.Attempt.Task.Index))
			require.Equal(t, in.Links(), e.Placed.Here, "at %v", e.At)
			checked++
		}
		var err error
		s, err = newSim(cfg, &w)
		require.NoError(t, err)
		require.NoError(t, s.begin())
		require.NoError(t, s.loop(t.Context()))
		require.True(t, s.jobs[0].Done && !s.jobs[0].Failed)
		require.GreaterOrEqual(t, checked, 3, "launches compared")
	}
}
