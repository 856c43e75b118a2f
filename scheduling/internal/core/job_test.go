package core

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Launched counts all tasks launched so far; slowStartMaps rounds up, Replicas to the nearest.
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
		j := &Job{Spec: JobSpec{Maps: x.maps}}
		if x.nodes > 0 {
			offsets := make([]int32, x.maps+1)
			for m := range x.maps {
				offsets[m+1] = int32(min(m+1, x.placed))
			}
			offsets[x.placed] = int32(x.nodes)
			for m := x.placed; m < len(offsets); m++ {
				offsets[m] = int32(x.nodes)
			}
			j.Spec.Places = Places{Offsets: offsets, Nodes: make([]NodeID, x.nodes)}
		}
		require.Equal(t, x.want, j.Replicas(), "%+v", x)
	}
}

// Tallies count like a Go map.
func TestTalliesAgainstAMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var c Tallies
		model := map[int32]int32{}
		groups := rapid.Int32Range(0, rapid.Int32Range(0, 200).Draw(t, "groups"))
		for range rapid.IntRange(0, 400).Draw(t, "steps") {
			g, by := groups.Draw(t, "group"), rapid.Int32Range(-1, 3).Draw(t, "by")
			model[g] += by
			require.Equal(t, model[g], c.Add(g, by))
			other := groups.Draw(t, "other")
			require.Equal(t, model[other], c.Of(other))
		}
		require.Zero(t, c.Of(1000))
		require.Len(t, c, len(model))
		for i, of := range c {
			require.Equal(t, model[of.Group], of.N)
			require.True(t, i == 0 || c[i-1].Group < of.Group)
		}
	})
}
