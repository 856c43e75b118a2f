package engine

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling/internal/core"
)

// A weight goes to its pool, a new one where pools are free, "default" always; whoever holds the old list
// keeps it.
func TestSetWeight(t *testing.T) {
	old := []core.PoolConfig{{Name: "ann", Weight: 2, MaxJobs: 3}, {Name: "bob"}}
	for _, known := range []bool{false, true} {
		a := core.Allocations{Pools: old, Known: known}
		require.True(t, a.SetWeight("ann", 5))
		require.True(t, a.SetWeight("default", 4))
		require.Equal(t, !known, a.SetWeight("cat", 3))
		want := []core.PoolConfig{{Name: "ann", Weight: 5, MaxJobs: 3}, {Name: "bob"}, {Name: "default", Weight: 4}}
		if !known {
			want = append(want, core.PoolConfig{Name: "cat", Weight: 3})
		}
		require.Equal(t, want, a.Pools)
		require.InDelta(t, 2, old[0].Weight, 0)
	}
}
