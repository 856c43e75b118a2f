package main

import (
	"github.com/tarry-mr/tarry/actors"
)

// emulated is the network that the flags ask for.
func (r *clusterFlags) emulated() actors.NetworkConfig {
	if !r.network {
		return actors.NetworkConfig{}
	}
	return actors.NetworkConfig{NodeLink: float64(r.nodeLink), Oversubscription: r.oversubscribed}
}
