// Package setup has what experiments of several papers share: clusters and the sentences that
// describe them, policies, workloads, the slots that jobs hold over time, and the placement of
// reduces as a separate problem.
package setup

import (
	"time"

	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// EC2 returns the EC2 cluster of [Zaharia10 Table 1]: 100 nodes of 4 map and 2 reduce slots, one
// rack, blocks of 128 MB with three replicas. A map reads a block in about 20 s. So 17 of 400 busy
// slots become free each second, as in the paper (see delay-fig15).
func EC2() simulator.Config {
	return simulator.Config{
		Cluster: simulator.Cluster{
			Nodes: 100, Racks: 1, MapSlots: 4, ReduceSlots: 2, Replicas: 3, Setup: time.Second,
			ReadRate: 6.4e6,
		},
		Network: simulator.Network{ReadFactor: [3]float64{1, 2, 2}},
		Drive:   simulator.HeartbeatDrive, Interval: 3 * time.Second,
	}
}

// RemoteLink is the capacity that all remote reads and shuffles of a node share, in each direction,
// in bytes per second.
// It is fitted to the 44 % of [Zaharia10 Fig 7] (delay-fig5 sweeps it); the gains of Fig 14 alone
// would give 27 MB/s (delay-fig13). Table 1's link of 1 Gb/s would never be full.
const RemoteLink = 25e6

// A scan of GridMix takes 12 s a map [Zaharia10 §5.2.1]: ScanRead to read its block beside it,
// ScanCompute to compute, with a lognormal factor of sigma ScanSpread, and a second to set up.
const (
	ScanRead    = 10 * time.Second
	ScanCompute = time.Second
	ScanSpread  = 0.4
)

// ScanCluster returns EC2 with disks that read a block in ScanRead, and with links of RemoteLink.
func ScanCluster() simulator.Config {
	cfg := EC2()
	cfg.Cluster.ReadRate = workload.DefaultBlock / ScanRead.Seconds()
	cfg.Network = Contended(RemoteLink)
	return cfg
}

// Contended returns a network whose node links, of link bytes a second each, are shared max-min
// fairly by remote reads and shuffles. Flows end at half seconds: with many reduces, exact ends
// take ten times as long to simulate, and change medians by less than their spread.
func Contended(link float64) simulator.Network {
	return simulator.Network{Flows: true, NodeLink: link, Grain: 500 * time.Millisecond}
}

// Factors returns a network without contention. A remote read takes rack times as long as a local
// one within a rack, and far times as long beyond.
func Factors(rack, far float64) simulator.Network {
	return simulator.Network{ReadFactor: [3]float64{1, rack, far}}
}

// MacroMap is the time of a node-local map of the IO-heavy macrobenchmark of [Zaharia10 §5.1]. It
// is fitted to the 5 × of Fig 5, within what §5.1 says about it elsewhere.
const MacroMap = 5 * time.Second

// MacroBlock is the part of MacroMap in which the map reads its block.
const MacroBlock = 4 * time.Second

// MacroCluster returns the macrobenchmarks' cluster: EC2 with a network and a time to read a block.
func MacroCluster(block time.Duration, network simulator.Network) simulator.Config {
	cfg := EC2()
	cfg.Cluster.ReadRate, cfg.Network = workload.DefaultBlock/block.Seconds(), network
	cfg.JobSetup, cfg.JobCleanup = 16*time.Second, 8*time.Second
	return cfg
}
