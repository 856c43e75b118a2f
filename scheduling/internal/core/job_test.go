package core

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// Launched counts all launches that took a task; slowStartMaps rounds up, Replicas to the nearest.
func TestCountsOfWork(t *testing.T) {
	w := Work{Running: 30, Suspended: 7, Copies: 2, Done: 11, Again: 5}
	require.Equal(t, 51, w.Launched())
	for _, x := range []struct {
		share float64
		maps  int
		want  int
	}{{0, 9, 0}, {-1, 9, 0}, {0.05, 1, 1}, {0.05, 20, 1}, {0.05, 21, 2}, {0.3, 10, 3}, {1, 7, 7}, {1, 0, 0}, {0.5, 3, 2}, {math.Inf(-1), 5, 0}} {
		require.Equal(t, x.want, slowStartMaps(x.share, x.maps), "%+v", x)
	}
	for _, x := range []struct{ maps, placed, nodes, want int }{
		{0, 0, 0, 1}, {5, 0, 0, 1}, {4, 4, 12, 3}, {4, 2, 6, 3}, {2, 2, 3, 2}, {4, 4, 5, 1}, {3, 3, 8, 3},
	} {
		j := &Job{Spec: model.JobSpec{Maps: x.maps}}
		if x.nodes > 0 {
			offsets := make([]int32, x.maps+1)
			for m := range x.maps {
				offsets[m+1] = int32(min(m+1, x.placed))
			}
			offsets[x.placed] = int32(x.nodes)
			for m := x.placed; m < len(offsets); m++ {
				offsets[m] = int32(x.nodes)
			}
			j.Spec.Places = model.Places{Offsets: offsets, Nodes: make([]model.NodeID, x.nodes)}
		}
		require.Equal(t, x.want, j.Replicas(), "%+v", x)
	}
}
