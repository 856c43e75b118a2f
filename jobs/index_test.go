package jobs

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Whatever the order in which sets of names are united, all names are there once, in order.
func TestUniteIsAnUnion(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var sets [][]string
		want := map[string]bool{}
		n := rapid.IntRange(1, 60).Draw(t, "sets")
		for range n {
			name := fmt.Sprint(rapid.IntRange(0, 40).Draw(t, "name"))
			if rapid.IntRange(0, 20).Draw(t, "empty") == 0 {
				name = ""
			}
			sets, want[name] = append(sets, []string{name}), true
		}
		for len(sets) > 1 {
			i := rapid.IntRange(0, len(sets)-2).Draw(t, "which")
			a, b := slices.Clone(sets[i]), slices.Clone(sets[i+1])
			both := unite(sets[i], sets[i+1])
			require.Equal(t, a, sets[i], "an operand was changed")
			require.Equal(t, b, sets[i+1], "an operand was changed")
			sets = slices.Replace(sets, i, i+2, both)
		}
		got := strings.Split(joinAll(sets[0]), nameSeparator)
		require.True(t, slices.IsSorted(got), "%q", got)
		require.Len(t, got, len(want))
		for _, name := range got {
			require.True(t, want[name], "%q", name)
		}
	})
}

// A word that stands in n files costs bytes in proportion to n times its logarithm, not
// to n squared: a hundred thousand names are united in so few bytes.
func TestUniteIsNotQuadratic(t *testing.T) {
	const n = 20_000
	lists, total, names := []string(nil), 0, 0
	for i := range n {
		name := fmt.Sprintf("file-%06d", i*7919%n)
		names += len(name) + 1
		before := lists
		lists = unite(lists, []string{name})
		for k, l := range lists {
			if k >= len(before) || len(before[k]) != len(l) {
				total += len(l) // was copied
			}
		}
	}
	require.LessOrEqual(t, len(lists), 25)
	require.Less(t, total, 40*names)
	require.Equal(t, n, 1+strings.Count(joinAll(lists), nameSeparator))
}
