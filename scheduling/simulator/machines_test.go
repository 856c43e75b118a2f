package simulator

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// ends simulates jobs and returns the time at which each ended, in seconds.
func ends(t *testing.T, cfg Config, jobs ...workload.Job) (list []float64) {
	t.Helper()
	for i := range jobs {
		jobs[i].Name = fmt.Sprint("j", i)
	}
	for _, j := range run(t, cfg, &workload.Workload{Name: "w", Jobs: jobs}).Jobs {
		list = append(list, j.Ended.Seconds())
	}
	return list
}

// computing returns a job of maps that take 10 s each and read nothing.
func computing(maps int) workload.Job {
	return workload.Job{Maps: maps, NoLocation: true, Map: workload.Cost{Setup: -1, Time: 10 * time.Second}}
}

// Node 0 has two slots and twice the speed, node 1 one slot and half the speed. Of four maps of 10
// s, node 0 runs three in 10 s. Node 1 runs one in 20 s. Without map slots on node 1, node 0 runs
// all in 10 s.
func TestMachinesDifferInSpeedAndSlots(t *testing.T) {
	cfg := Config{
		Cluster: Cluster{Setup: -1, Machines: []Machine{{MapSlots: 2, Slow: 0.5}, {Rack: 1, MapSlots: 1, Slow: 2}}},
		Policy:  preset(t, "fair"), InTurn: true,
	}
	require.Equal(t, []float64{20}, ends(t, cfg, computing(4)))
	cfg.Cluster.Machines[1].MapSlots = 0
	cfg.Cluster.Machines[1].ReduceSlots = 1
	require.Equal(t, []float64{10}, ends(t, cfg, computing(4)), "a node without map slots gets no map")
	cfg.Cluster.Machines[0].MapSlots = 4
	require.Equal(t, []float64{5}, ends(t, cfg, computing(4)))
}

// A map reads a block of 100 MB from another node. The slowest link between the two nodes
// determines how long that takes.
func TestLinksOfNodesAndRacks(t *testing.T) {
	run := func(change func(*Config)) float64 {
		cfg := Config{
			Cluster: Cluster{
				Setup: -1, ReadRate: 100e6,
				Machines: []Machine{{ReduceSlots: 1}, {Rack: 1, MapSlots: 1}}, // the block is on the first node
			},
			Network: Network{Flows: true, NodeLink: 50e6, Grain: -1}, Policy: preset(t, "fifo"),
			Places: func(int) scheduling.Places {
				return scheduling.Places{Offsets: []int32{0, 1}, Nodes: []scheduling.NodeID{0}}
			},
		}
		change(&cfg)
		return ends(t, cfg, workload.Job{Maps: 1, InputBytes: 100e6, Map: workload.Cost{Setup: -1}})[0]
	}
	require.InDelta(t, 2, run(func(*Config) {}), 1e-3, "100 MB at 50 MB/s")
	require.InDelta(t, 4, run(func(c *Config) { c.Cluster.Machines[0].Link = 25e6 }), 1e-3, "the sender's link")
	require.InDelta(t, 5, run(func(c *Config) { c.Cluster.Machines[1].Link = 20e6 }), 1e-3, "the receiver's link")
	require.InDelta(t, 10, run(func(c *Config) { c.Network.Uplinks = []float64{0, 10e6} }), 1e-3, "an uplink")
	require.InDelta(t, 8, run(func(c *Config) { c.Network.Disk = 12.5e6 }), 1e-3, "the disk at the other end")
}

// Three node-local maps read 100 MB each. Alone, each reads 50 MB/s; together, from a disk with 60
// MB/s, each reads 20 MB/s.
func TestTasksShareADisk(t *testing.T) {
	cfg := Config{
		Cluster: Cluster{Setup: -1, ReadRate: 50e6, Machines: []Machine{{MapSlots: 3}}},
		Network: Network{Flows: true, Grain: -1}, Policy: preset(t, "fifo"),
	}
	job := workload.Job{Maps: 3, InputBytes: 300e6, Map: workload.Cost{Setup: -1}}
	require.InDelta(t, 2, ends(t, cfg, job)[0], 1e-3)
	cfg.Network.Disk = 60e6
	require.InDelta(t, 5, ends(t, cfg, job)[0], 1e-3)
	cfg.Cluster.Machines[0].Disk = 150e6
	require.InDelta(t, 2, ends(t, cfg, job)[0], 1e-3, "the node's own disk is fast enough")
	// The second job's map begins at 1 s, when the first has read 50 of its 100 MB at 50 MB/s. From
	// then on each reads 30 MB/s. The first ends at 1 + 50/30 s. The second then reads its last 50
	// MB at 50 MB/s.
	cfg.Cluster.Machines[0].Disk = 0
	one := workload.Job{Maps: 1, InputBytes: 100e6, Map: workload.Cost{Setup: -1}}
	late := one
	late.Submit = time.Second
	got := ends(t, cfg, one, late)
	require.InDelta(t, 1+50.0/30, got[0], 1e-3)
	require.InDelta(t, 1+50.0/30+1, got[1], 1e-3)
}

// If all attempts straggle by the factor 3, a map takes 30 s instead of 10 s. Factors that are
// drawn are in the range of their distribution.
func TestStragglersByADistribution(t *testing.T) {
	cfg := Config{
		Cluster: Cluster{Setup: -1, Stragglers: 1, Machines: []Machine{{MapSlots: 8}}}, Policy: preset(t, "fair"),
	}
	require.Equal(t, []float64{50}, ends(t, cfg, computing(8)))
	cfg.Cluster.StragglerTimes = workload.Dist{A: 3}
	require.Equal(t, []float64{30}, ends(t, cfg, computing(8)))
	cfg.Cluster.StragglerTimes = workload.Dist{Shape: workload.Uniform, A: 2, B: 4}
	last := ends(t, cfg, computing(8))[0]
	require.Greater(t, last, 30.0)
	require.LessOrEqual(t, last, 40.0)
	require.Equal(t, last, ends(t, cfg, computing(8))[0])
}

// The numbers Nodes, Racks and slots describe the same cluster as a list of equal Machines.
func TestAlikeMachinesAreNodes(t *testing.T) {
	numbers := Config{Cluster: Cluster{Nodes: 3, Racks: 2, MapSlots: 2, ReduceSlots: 1}}.withDefaults()
	m := Machine{MapSlots: 2, ReduceSlots: 1}
	list := Config{Cluster: Cluster{Machines: []Machine{m, m, {Rack: 1, MapSlots: 2, ReduceSlots: 1}}}}.withDefaults()
	list.Cluster.MapSlots, list.Cluster.ReduceSlots = 2, 1 // of nodes that the list does not have
	require.Equal(t, numbers, list)
}

func TestBadMachines(t *testing.T) {
	for want, cl := range map[string]Cluster{
		"racks are numbered from 0":      {Machines: []Machine{{Rack: 1, MapSlots: 1}}},
		"node 2 in rack 3":               {Machines: []Machine{{MapSlots: 1}, {Rack: 1, MapSlots: 1}, {Rack: 3, MapSlots: 1}}},
		"no node has a slot":             {Machines: []Machine{{}}},
		"3 nodes, but 1 machines":        {Nodes: 3, Machines: []Machine{{MapSlots: 1}}},
		"slowness of a node -1":          {Machines: []Machine{{MapSlots: 1, Slow: -1}}},
		"is shared only where transfers": {Machines: []Machine{{MapSlots: 1, Disk: 1e6}}},
		"factors of stragglers":          {Nodes: 1, StragglerTimes: workload.Dist{A: -1}},
	} {
		cfg := Config{Cluster: cl, Policy: preset(t, "fifo")}
		err := cfg.Validate()
		require.ErrorIs(t, err, ErrConfig)
		require.ErrorContains(t, err, want)
	}
	cfg := Config{Cluster: Cluster{Machines: []Machine{{MapSlots: 1}}}, Network: Network{Uplinks: []float64{1, 1}}}
	require.ErrorContains(t, cfg.Validate(), "2 uplinks for 1 racks")
	cfg = Config{Cluster: Cluster{Nodes: 1}, Network: Network{Disk: 1e6}}
	require.ErrorContains(t, cfg.Validate(), "disks are shared only where transfers are flows")
}
