package main

import (
	"github.com/spf13/cobra"

	"github.com/tarry-mr/tarry/actors"
)

// checkNetwork refuses network flags that have no meaning.
func (r *clusterFlags) checkNetwork(cmd *cobra.Command) error {
	for _, name := range []string{"node-link", "oversubscription"} {
		if cmd.Flags().Changed(name) && !r.network {
			return usageError("--%s is of the network that --emulate-network turns on", name)
		}
	}
	switch {
	case r.nodeLink < 1:
		return configError("--node-link 0: at least 1 byte a second is needed")
	case !(r.oversubscribed >= 1 && r.oversubscribed <= 1e6):
		return configError("--oversubscription %v: want 1 to 1,000,000", r.oversubscribed)
	}
	return nil
}

// emulated is the network that the flags ask for.
func (r *clusterFlags) emulated() actors.NetworkConfig {
	if !r.network {
		return actors.NetworkConfig{}
	}
	return actors.NetworkConfig{NodeLink: float64(r.nodeLink), Oversubscription: r.oversubscribed}
}
