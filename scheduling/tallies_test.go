package scheduling

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Few or many, the numbers are those of a map.
func TestNodeCountsAgainstAMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var c nodeCounts
		model := map[int32]int32{}
		nodes := rapid.Int32Range(0, rapid.Int32Range(0, 200).Draw(t, "nodes"))
		for range rapid.IntRange(0, 400).Draw(t, "steps") {
			n, by := nodes.Draw(t, "node"), rapid.Int32Range(-1, 3).Draw(t, "by")
			model[n] += by
			require.Equal(t, model[n], c.add(n, by))
			other := nodes.Draw(t, "other")
			require.Equal(t, model[other], c.of(other))
		}
		require.Zero(t, c.of(1000))
		maps.DeleteFunc(model, func(_, count int32) bool { return count == 0 })
		all := map[int32]int32{}
		for n, count := range c.all {
			if count != 0 {
				all[n] = count
			}
		}
		require.Equal(t, model, all)
	})
}
