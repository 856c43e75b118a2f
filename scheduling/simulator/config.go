package simulator

import (
	"cmp"
	"errors"
	"time"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// ErrConfig is wrapped by every fault that Config.Validate finds.
var ErrConfig = errors.New("simulator: bad configuration")

// Drive says when the JobTracker learns that a slot is free.
type Drive uint8

// The drives.
const (
	// EventDrive offers a slot the moment it frees: the slot model of the papers' algorithms.
	// Slots that nobody took are offered again at their nodes' heartbeats, and at once when
	// the Core says that their node is due, as a live JobTracker does.
	EventDrive Drive = iota
	// HeartbeatDrive tells of a free slot at its node's next heartbeat, as Hadoop does; no
	// node is asked before.
	HeartbeatDrive
)

// Cluster describes the machines. Zero numbers mean the defaults given.
type Cluster struct {
	Nodes       int // at least 1
	Racks       int // default 1; node i is in rack i*Racks/Nodes
	MapSlots    int // of each node; default 4
	ReduceSlots int // of each node; default 2; -1 means none
	Replicas    int // of each block; default 3
	// Setup is the time from a launch until the task does anything; default 1 s, negative means
	// none.
	Setup time.Duration
	// ReadRate is what one task reads from its node's disk, in bytes a second; default 20 MB/s: 6.4
	// s for a block of 128 MB.
	ReadRate float64
	// WriteRate is what one task writes, bytes a second; default ReadRate.
	WriteRate float64
	// CPURate is what one task computes with a cost of 1, bytes a second; 0 means that computing
	// takes no time beyond Cost.Time.
	CPURate float64
	// MergeRate is what a reduce merges after its shuffle, bytes a second; default 4 × ReadRate,
	// negative means no time.
	MergeRate float64
	// Cache is how many bytes of blocks each node keeps in memory, those that its maps read last; a
	// map that finds its block there reads CacheRate bytes a second, whatever the network. 0 means
	// no cache. CacheRate 0 takes 1 GB/s.
	Cache     int64
	CacheRate float64
	// SlowNodes is the part of the nodes, 0 to 1, that take SlowFactor (default 2) times as long
	// for everything.
	SlowNodes  float64
	SlowFactor float64
	// Stragglers is the part of the attempts, 0 to 1, whose computing takes StragglerFactor
	// (default 5) times as long.
	Stragglers      float64
	StragglerFactor float64
	// StragglerTimes, if its A is above 0, is what each straggler's factor is drawn from, in place
	// of StragglerFactor.
	StragglerTimes workload.Dist
	// Machines, if there are any, say what each node is, in place of Nodes, Racks, MapSlots and
	// ReduceSlots: node i is Machines[i].
	Machines []Machine
}

// Machine is a node that may differ from others.
type Machine struct {
	Rack        int     // from 0 up; the nodes of a rack stand together, racks in order
	MapSlots    int     // 0 or more
	ReduceSlots int     // 0 or more
	Slow        float64 // how many times as long it takes for everything; 0 means 1
	Link        float64 // capacity of its link in each direction, bytes a second; 0 takes Network.NodeLink
	Disk        float64 // what its disk gives to all tasks that read from it; 0 takes Network.Disk
	Name        string  // empty: n00000 and so on
	RackName    string  // of its rack; empty: r000 and so on
	// Beat is when its heartbeats begin, each Interval after the other; 0 draws it from the seed.
	Beat time.Duration
}

// Network says what moving bytes costs.
type Network struct {
	// Flows turns remote reads and shuffles into flows that share the links below fairly (max-min).
	// Without it the factors apply.
	Flows bool
	// ReadFactor multiplies the reading time of a node-local, rack-local and off-rack map without
	// Flows; default 1, 1.5, 2.
	ReadFactor [3]float64
	// MapFactor multiplies a map's whole time after set-up by locality, with or without Flows;
	// default 1, 1, 1. Mumak has 1, 1.5, 3.
	MapFactor [3]float64
	// ShuffleRate is what a reduce fetches without Flows, bytes a second, divided by ShuffleFactor
	// by locality; default 50 MB/s and 1, 1, 2.
	ShuffleRate   float64
	ShuffleFactor [3]float64
	// NodeLink is the capacity of a node's link in each direction, bytes a second; default 125 MB/s
	// (1 Gb/s).
	NodeLink float64
	// Oversubscription is the sum of a rack's node links over the capacity of its uplink, 1 or
	// more; default 1.
	Oversubscription float64
	// Uplinks are the capacities of the racks' uplinks in each direction, bytes a second; nil, or 0
	// for a rack, leaves it to Oversubscription.
	Uplinks []float64
	// Disk is what a node's disk gives to all tasks together that read from it, bytes a second, each
	// of them ReadRate at most; they share it fairly. 0 means that tasks do not slow one another
	// down. Only with Flows; shuffles are not read from disks.
	Disk float64
	// Copies is how many nodes a reduce fetches from at once, with Flows; default 5.
	Copies int
	// Grain makes flows end at its multiples, so that many end at once and the rates are worked out
	// less often: faster, and a flow is late by half a grain on average. Default 10 ms, negative
	// exact.
	Grain time.Duration
}

// SubmitRule says when jobs are handed in [Mumak].
type SubmitRule uint8

// The rules.
const (
	Replay SubmitRule = iota // at the times of the workload
	Serial                   // the next one 1 ms after the previous one completes
	Closed                   // Active at a time; the next one when one completes
	// Stress hands in jobs while incomplete maps are at most twice the map slots and jobs fewer
	// than nodes; it looks whenever a job completes and each second.
	Stress
)

// Submission sets the rule.
type Submission struct {
	Rule   SubmitRule
	Active int // of Closed; at least 1
}

// Outage takes a node out for a time.
type Outage struct {
	Node int
	At   time.Duration
	For  time.Duration // 0 means for good
}

// Failures says what breaks. A failed node loses what runs on it and the map outputs it holds, and
// is silent until it is back.
type Failures struct {
	Outages []Outage
	// MTBF is the mean time between failures of one node, exponential; 0 means none. Repair is how
	// long one lasts; default 10 min.
	MTBF   time.Duration
	Repair time.Duration
	// TaskFails is the chance, 0 to 1, that an attempt fails half-way.
	TaskFails float64
}

// any tells whether nodes may fail.
func (f *Failures) any() bool { return len(f.Outages) > 0 || f.MTBF > 0 }

// Config says what is simulated. Cluster.Nodes and Policy.Order must be set.
type Config struct {
	Cluster    Cluster
	Network    Network
	Drive      Drive
	Interval   time.Duration // between a node's heartbeats; 0 takes scheduling.HeartbeatInterval, Hadoop's rule
	OutOfBand  bool          // HeartbeatDrive: a node also sends a heartbeat when a task ends
	Update     time.Duration // between calls of Core.Update; default 500 ms
	JobSetup   time.Duration // from a job's arrival until it is handed to the Core
	JobCleanup time.Duration // from its last task's end until its own
	Submission Submission
	Failures   Failures
	Policy     scheduling.Policy
	Core       scheduling.Config // its Events and Calls are called as usual; HeartbeatInterval 0 takes Interval
	Seed       uint64
	Until      time.Duration // stop then, even if jobs are not done; 0 means never
	Sample     time.Duration // between the samples of Result.Samples; 0 means none
	// SampleQueues makes samples tell of queues, shares and links, too.
	SampleQueues bool
	// SizeError is how wrong the durations told to policies that work with sizes are, 0 to 1: see
	// workload.Job.TellTimes.
	SizeError float64
	// Untold leaves out the durations that jobs, or what simulates them, would tell: no policy learns
	// sizes but from tasks that have run, as in a live cluster whose jobs tell none.
	Untold bool
	// SizeCells is up to how many maps × reduces a job's maps report the sizes of their partitions,
	// which placing reduces by gravity needs; default 4 million. Larger jobs report none and their
	// reduces go anywhere.
	SizeCells int
	// Places, if not nil, says where the blocks of the workload's i-th job lie, in place of a draw;
	// jobs that read a shared file have them drawn, and those for which it gives none.
	Places func(i int) scheduling.Places
	// Recorded, if not nil, says how long the tasks of the workload's i-th job took in a recorded run,
	// in place of what workload, cluster and network make of them; nil leaves a job to those. It needs
	// a network without flows. What it returns is only read.
	Recorded func(i int) *Recorded
	// TellProgress makes regular heartbeats tell how far attempts are, as live ones do; hfsp is
	// told anyway. It costs time where it does not matter.
	TellProgress bool
	// InTurn offers slots to the nodes of all racks in turn, always from the first one on, when a
	// job comes, as a live cluster of this program does; else in a random ring that goes on where
	// it stopped.
	InTurn bool
	// Ring, if not nil, gives the order in which nodes are asked when the workload's i-th job has come,
	// and from then on; nil leaves it as it is. Each node must stand in it once.
	Ring func(i int) []int32
	// Jitter is how late a regular heartbeat is at most, each as drawn from the seed.
	Jitter time.Duration
	// MaxEvents ends a simulation that takes more events, with ErrTooLong, so that no setting makes
	// it run for ever; one that is known to take more is refused before it begins. 0 means 200
	// million, some minutes of work.
	MaxEvents uint64
	// Progress, if not nil, is called each 16,384 events with the simulated time and the number of
	// jobs done.
	Progress func(now time.Duration, done int)
}

// drive names the drive, empty for the event drive.
func (c *Config) drive() string {
	switch {
	case c.Drive == EventDrive:
		return ""
	case c.OutOfBand:
		return "out-of-band"
	}
	return "heartbeat"
}

// withDefaults fills in what was left out.
func (c Config) withDefaults() Config {
	cl, nw := &c.Cluster, &c.Network
	if n := len(cl.Machines); n > 0 {
		cl.Nodes, cl.Racks = n, cl.Machines[n-1].Rack+1
	}
	cl.Racks = cmp.Or(cl.Racks, 1)
	cl.MapSlots = cmp.Or(cl.MapSlots, 4)
	cl.ReduceSlots = max(0, cmp.Or(cl.ReduceSlots, 2))
	cl.Replicas = cmp.Or(cl.Replicas, 3)
	cl.Setup = cmp.Or(cl.Setup, time.Second)
	cl.ReadRate = cmp.Or(cl.ReadRate, 20<<20)
	cl.WriteRate = cmp.Or(cl.WriteRate, cl.ReadRate)
	cl.MergeRate = cmp.Or(cl.MergeRate, 4*cl.ReadRate)
	cl.CacheRate = cmp.Or(cl.CacheRate, 1e9)
	cl.SlowFactor = cmp.Or(cl.SlowFactor, 2)
	cl.StragglerFactor = cmp.Or(cl.StragglerFactor, 5)
	nw.ReadFactor = cmp.Or(nw.ReadFactor, [3]float64{1, 1.5, 2})
	nw.MapFactor = cmp.Or(nw.MapFactor, [3]float64{1, 1, 1})
	nw.ShuffleRate = cmp.Or(nw.ShuffleRate, 50<<20)
	nw.ShuffleFactor = cmp.Or(nw.ShuffleFactor, [3]float64{1, 1, 2})
	nw.NodeLink = cmp.Or(nw.NodeLink, 125e6)
	nw.Oversubscription = cmp.Or(nw.Oversubscription, 1)
	nw.Copies = cmp.Or(nw.Copies, 5)
	nw.Grain = cmp.Or(nw.Grain, 10*time.Millisecond)
	c.Interval = cmp.Or(c.Interval, scheduling.HeartbeatInterval(cl.Nodes))
	c.Update = cmp.Or(c.Update, 500*time.Millisecond)
	c.Failures.Repair = cmp.Or(c.Failures.Repair, 10*time.Minute)
	c.Core.HeartbeatInterval = cmp.Or(c.Core.HeartbeatInterval, c.Interval)
	c.SizeCells = cmp.Or(c.SizeCells, 4_000_000)
	c.MaxEvents = cmp.Or(c.MaxEvents, defaultEvents)
	return c
}
