package cli

import (
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/actors"
)

// Flags of a run become the cluster's configuration: link rates, task timeout and parallelism.
func TestClusterOfFlags(t *testing.T) {
	of := func(args ...string) actors.Config {
		var r clusterFlags
		cmd := &cobra.Command{Use: "run"}
		r.register(cmd)
		require.NoError(t, cmd.ParseFlags(args))
		cfg, err := r.config(cmd)
		require.NoError(t, err)
		return cfg
	}
	require.Zero(t, of().Network)
	require.EqualValues(t, 1e6, of("--node-link", "1MB").Network.NodeLink)
	require.EqualValues(t, 5, of("--node-link", "1MB", "--oversubscription", "5").Network.Oversubscription)
	require.Negative(t, of("--task-timeout", "0s").TaskTimeout, "any time")
	require.Zero(t, of().Parallelism)
	require.Positive(t, of("--nodes", "4").Parallelism)
	require.Zero(t, of("--nodes", "4", "--parallelism", "0").Parallelism, "as many as slots")
	require.Equal(t, 7, of("--parallelism", "7").Parallelism)
}
