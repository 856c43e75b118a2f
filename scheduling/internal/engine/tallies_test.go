package engine

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/scheduling/internal/core"
)

// The numbers are those of a map.
func TestTalliesAgainstAMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var c core.Tallies
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
