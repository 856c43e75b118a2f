package simulator

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// ErrConfig is wrapped by every error of Config.Validate.
var ErrConfig = errors.New("simulator: bad configuration")

// Drive selects when the JobTracker learns that a slot is free.
type Drive uint8

// The drives.
const (
	// EventDrive offers a slot as soon as it is free: the slot model of the papers' algorithms.
	// Refused slots are offered at their nodes' later heartbeats, and at once when Core.Due returns
	// their nodes, as in a live JobTracker.
	EventDrive Drive = iota
	// HeartbeatDrive reports a free slot with its node's next heartbeat, as Hadoop does; no node is
	// asked earlier.
	HeartbeatDrive
	// OutOfBandDrive is HeartbeatDrive whose nodes also send a heartbeat when a task ends.
	OutOfBandDrive
)

// String returns the name of the drive in the header of events; it is empty for EventDrive.
func (d Drive) String() string { return [...]string{"", "heartbeat", "out-of-band"}[d] }

// Cluster describes the machines. Zero numbers select the given defaults.
type Cluster struct {
	Nodes       int // at least 1
	Racks       int // default 1; node i is in rack i*Racks/Nodes
	MapSlots    int // per node; default 4
	ReduceSlots int // per node; default 2; -1 means none
	Replicas    int // per block; default 3
	// Setup is the time from a launch until the task does anything; default 1 s, negative means 0.
	Setup time.Duration
	// ReadRate is the rate at which one task reads from its node's disk, and writes, in bytes per
	// second; default 20 MB/s: 6.4 s for a block of 128 MB.
	ReadRate float64
	// CPURate is the rate at which one task computes with a cost of 1, in bytes per second; 0 means
	// that computing takes no time beyond Cost.Time.
	CPURate float64
	// MergeRate is the rate at which a reduce merges after its shuffle, in bytes per second;
	// default 4 × ReadRate, negative means no time.
	MergeRate float64
	// Cache is the size in bytes of each node's memory for blocks; it keeps those that its maps
	// read last. A map that finds its block there reads CacheRate bytes per second, on any network.
	// 0 means no cache. The default CacheRate is 1 GB/s.
	Cache     int64
	CacheRate float64
	// SlowNodes is the fraction of the nodes, 0 to 1, that take SlowFactor (default 2) times as
	// long for everything.
	SlowNodes  float64
	SlowFactor float64
	// Stragglers is the fraction of the attempts, 0 to 1, whose computing takes longer by a factor
	// drawn from StragglerTimes (default always 5).
	Stragglers     float64
	StragglerTimes workload.Dist
	// Machines, if not empty, describes each node and replaces Nodes, Racks, MapSlots and
	// ReduceSlots: node i is Machines[i].
	Machines []Machine
}

// Machine is a node that may differ from others.
type Machine struct {
	Rack        int     // from 0, as racks first appear
	MapSlots    int     // 0 or more
	ReduceSlots int     // 0 or more
	Slow        float64 // factor on the time of everything it does; 0 means 1
	Link        float64 // capacity of its link in each direction, bytes per second; 0 means Network.NodeLink
	Disk        float64 // total read rate of its disk, bytes per second; 0 means Network.Disk
	Name        string  // empty: n00000 and so on
	RackName    string  // of its rack; empty: r000 and so on
	// Beat is the time of its first heartbeat; the others follow every Interval. 0 draws it from
	// the seed.
	Beat time.Duration
}

// Network describes the cost of moving bytes.
type Network struct {
	// Flows turns remote reads and shuffles into flows that share the links below fairly (max-min).
	// Without it the factors apply.
	Flows bool
	// ReadFactor multiplies the reading time of a node-local, rack-local and off-rack map without
	// Flows; default 1, 1.5, 2.
	ReadFactor [3]float64
	// ShuffleRate is the rate at which a reduce fetches without Flows within its rack, in bytes per
	// second; default 50 MB/s. From other racks it fetches half as fast.
	ShuffleRate float64
	// NodeLink is the capacity of a node's link in each direction, in bytes per second; default 125
	// MB/s (1 Gb/s).
	NodeLink float64
	// Oversubscription is the sum of a rack's node links over the capacity of its uplink, 1 or
	// more; default 1.
	Oversubscription float64
	// Uplinks are the capacities of the racks' uplinks in each direction, in bytes per second; nil,
	// or 0 for a rack, means that Oversubscription applies.
	Uplinks []float64
	// Disk is the total read rate of a node's disk, in bytes per second. Its tasks share it fairly,
	// at most ReadRate each. 0 means that tasks do not slow each other down. Only with Flows;
	// shuffles do not read from disks.
	Disk float64
	// Copies is the number of nodes from which a reduce fetches in parallel, with Flows; default 5.
	Copies int
	// Grain makes flows end at multiples of it, so that many end together and rates are recomputed
	// less often. This is faster; a flow is late by half a grain on average. Default 10 ms,
	// negative means exact.
	Grain time.Duration
}

// SubmitRule selects when jobs are submitted [Mumak].
type SubmitRule uint8

// The submission rules.
const (
	Replay SubmitRule = iota // at the times of the workload
	Serial                   // the next one 1 ms after the previous one completes
	Closed                   // Active jobs at a time; the next one when one completes
	// Stress submits jobs while the incomplete maps are at most twice the map slots and the jobs
	// fewer than the nodes; it checks whenever a job completes, and each second.
	Stress
)

// Submission configures the submission of jobs.
type Submission struct {
	Rule   SubmitRule
	Active int // for Closed; at least 1
}

// MarshalText returns the text that UnmarshalText reads.
func (s Submission) MarshalText() ([]byte, error) {
	if s.Rule == Closed {
		return fmt.Appendf(nil, "closed:%d", s.Active), nil
	}
	return []byte(submitRules[s.Rule]), nil
}

// UnmarshalText reads replay, serial, stress, or closed:N with N of at least 1.
func (s *Submission) UnmarshalText(text []byte) error {
	name, active, counted := strings.Cut(string(text), ":")
	n, err := strconv.Atoi(active)
	rule := slices.Index(submitRules[:], name)
	if rule < 0 || counted != (rule == int(Closed)) || counted && (err != nil || n < 1) {
		return errors.New("want replay, serial, stress or closed:N")
	}
	*s = Submission{SubmitRule(rule), n}
	return nil
}

var submitRules = [...]string{Replay: "replay", Serial: "serial", Closed: "closed", Stress: "stress"}

// Outage takes a node down for a time.
type Outage struct {
	Node int
	At   time.Duration
	For  time.Duration // 0 means for good
}

// Failures configures what fails. A failed node loses its attempts and map outputs, and is silent
// until it returns.
type Failures struct {
	Outages []Outage
	// MTBF is the mean time between failures of a node, exponentially distributed; 0 means none.
	// Repair is the length of a failure; default 10 min.
	MTBF   time.Duration
	Repair time.Duration
	// TaskFails is the probability, 0 to 1, that an attempt fails halfway.
	TaskFails float64
}

// any reports whether nodes may fail.
func (f *Failures) any() bool { return len(f.Outages) > 0 || f.MTBF > 0 }

// Config describes a simulation. Cluster.Nodes and Policy.Order must be set.
type Config struct {
	Cluster    Cluster
	Network    Network
	Drive      Drive
	Interval   time.Duration // between a node's heartbeats; 0 means scheduling.HeartbeatInterval, Hadoop's rule
	Update     time.Duration // between calls of Core.Update; default 500 ms
	JobSetup   time.Duration // from a job's arrival to its submission to the Core
	JobCleanup time.Duration // from the end of a job's last task to the end of the job
	Submission Submission
	Failures   Failures
	Policy     scheduling.Policy
	Core       scheduling.Config // of the scheduler; HeartbeatInterval 0 means Interval
	Seed       uint64
	Until      time.Duration // stop at this time even if jobs are not done; 0 means never
	Sample     time.Duration // between the samples of Result.Samples; 0 means none
	// SampleQueues adds waiting jobs and tasks, shares and links to the samples.
	SampleQueues bool
	// SizeError is the maximum relative error, 0 to 1, of the durations given to policies that use
	// sizes: see workload.Job.TellTimes.
	SizeError float64
	// Untold withholds all task durations: policies learn sizes only from tasks that have run, as
	// in a live cluster whose jobs give none.
	Untold bool
	// SizeCells is the maximum of maps × reduces for which a job's maps report the sizes of their
	// partitions, which placing reduces by gravity needs; default 4 million. Larger jobs report
	// none, and their reduces run anywhere.
	SizeCells int
	// Places, if not nil, returns the places of the blocks of the workload's i-th job. They are
	// drawn randomly for jobs that read a shared file, and if it returns none.
	Places func(i int) scheduling.Places
	// Recorded, if not nil, returns the recorded task times of the workload's i-th job, which
	// replace those computed from workload, cluster and network; nil means computed times. It
	// requires a network without flows. The result is not changed.
	Recorded func(i int) *Recorded
	// TellProgress makes regular heartbeats report the progress of attempts, as live ones do; for
	// hfsp they always do. It costs time where it is not needed.
	TellProgress bool
	// InTurn offers slots to the nodes of all racks in turn, always from the first one, when a job
	// arrives, as a live cluster of this program does. Without it, nodes form a random ring, and
	// offers continue where they stopped.
	InTurn bool
	// Jitter is the maximum delay of a regular heartbeat, each drawn from the seed.
	Jitter time.Duration
	// MaxEvents ends a simulation that takes more events, with ErrTooLong, so that none can run
	// forever. A simulation that is known to take more is rejected before it begins. 0 means 200
	// million, which take some minutes.
	MaxEvents uint64
	// Progress, if not nil, is called every 16,384 events with the simulated time and the number of
	// jobs done.
	Progress func(now time.Duration, done int)
}

// withDefaults returns c with the default of each setting that is 0.
func (c Config) withDefaults() Config {
	cl, nw := &c.Cluster, &c.Network
	if n := len(cl.Machines); n > 0 {
		cl.Nodes, cl.Racks = n, 0
		for _, m := range cl.Machines {
			cl.Racks = max(cl.Racks, m.Rack+1)
		}
	}
	cl.Racks = cmp.Or(cl.Racks, 1)
	cl.MapSlots = cmp.Or(cl.MapSlots, 4)
	cl.ReduceSlots = max(0, cmp.Or(cl.ReduceSlots, 2))
	for i := len(cl.Machines); i < cl.Nodes; i++ {
		cl.Machines = append(cl.Machines, Machine{Rack: i * cl.Racks / cl.Nodes, MapSlots: cl.MapSlots, ReduceSlots: cl.ReduceSlots})
	}
	cl.Replicas = cmp.Or(cl.Replicas, 3)
	cl.Setup = cmp.Or(cl.Setup, time.Second)
	cl.ReadRate = cmp.Or(cl.ReadRate, 20<<20)
	cl.MergeRate = cmp.Or(cl.MergeRate, 4*cl.ReadRate)
	cl.CacheRate = cmp.Or(cl.CacheRate, 1e9)
	cl.SlowFactor = cmp.Or(cl.SlowFactor, 2)
	cl.StragglerTimes = cmp.Or(cl.StragglerTimes, workload.Dist{A: 5})
	nw.ReadFactor = cmp.Or(nw.ReadFactor, [3]float64{1, 1.5, 2})
	nw.ShuffleRate = cmp.Or(nw.ShuffleRate, 50<<20)
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
