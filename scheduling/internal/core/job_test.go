package core

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Counts of a job's work.
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

// TestHowManyCopies states that a job may run copies of a share of its tasks that were begun,
// suspended ones too and copies not, or of a share of the slots, or so many in any case: the most of the
// three, rounded up.
func TestHowManyCopies(t *testing.T) {
	for _, c := range []struct {
		running, suspended, copies, slots, least int
		part                                     float64
		want                                     int
	}{
		{running: 100, part: .1, least: 1, want: 10},
		{running: 100, suspended: 100, part: .1, least: 1, want: 20},
		{running: 110, copies: 10, part: .1, least: 1, want: 10},
		{running: 101, part: .1, least: 1, want: 11},
		{running: 10, slots: 5000, part: .1, least: 1, want: 50},
		{running: 10, part: .1, least: 3, want: 3},
		{running: 10, want: 10},
		{running: 200, want: 20},
	} {
		k := &Core{Policy: Policy{Speculation: SpeculationPolicy{Cap: c.part, MinCopies: c.least}}}
		k.Slots[Map] = c.slots
		j := new(Job)
		j.Work[Map].Running, j.Work[Map].Suspended, j.Work[Map].Copies = c.running, c.suspended, c.copies
		require.Equal(t, c.want, k.mostCopies(j, Map), "%+v", c)
	}
}

// The numbers are those of a map.
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
