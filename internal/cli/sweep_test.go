package cli

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling/simulator"
)

// The key of a run tells everything that its figures depend on, and nothing else.
func TestRunKey(t *testing.T) {
	f := simFlags{load0: "facebook-io"}
	load, err := f.load(1)
	require.NoError(t, err)
	policy, err := (&schedulerFlags{given: func(string) bool { return false }}).policy("hfs")
	require.NoError(t, err)
	cfg := simulator.Config{Cluster: simulator.Cluster{Nodes: 10}, Policy: policy}
	key := runKey(cfg, load)
	again, err := f.load(1)
	require.NoError(t, err)
	require.Equal(t, key, runKey(cfg, again))

	seen := map[string]bool{key: true}
	differs := func(cfg simulator.Config, why string) {
		k := runKey(cfg, load)
		require.False(t, seen[k], why)
		seen[k] = true
	}
	other := cfg
	other.Seed = 2
	differs(other, "seed")
	other = cfg
	other.Cluster.Nodes = 11
	differs(other, "nodes")
	other = cfg
	other.Policy.Reduce.Theta = 0.1
	differs(other, "theta")
	load.Jobs[3].Map.Spread += 0.01
	differs(cfg, "workload")
}
