package model

import (
	"math"
	"slices"
	"time"
)

// MaxLevels limits the levels for which a policy has waits or skips.
const MaxLevels = 10

// Policy selects and configures every part, as plain data. Preset returns one, which may be changed
// before NewCore. Any order works with any locality rule and any reduce placement.
type Policy struct {
	Name     string         // of the preset; only shown
	Order    string         // order of jobs: a built-in name, or one in Config.Parts
	Locality LocalityPolicy // placement of maps
	Reduce   ReducePolicy   // placement of reduces

	// SlowStart is the fraction of a job's maps that must be done before its reduces launch, 0 to
	// 1. Negative means the default, 0.05 [Hadoop], for any placement of reduces.
	SlowStart float64
	// OneTask limits a heartbeat to one task in total; only the order "pools" applies it
	// (assignmultiple=false).
	OneTask bool
	// Spread limits the nodes of an under-loaded cluster to their proportional number of tasks
	// (orders "fifo" and "pools").
	Spread bool
	// LoadMaxDiff is the fraction by which a node's load may exceed the cluster's, 0 to 1, with
	// Spread under "pools".
	LoadMaxDiff float64
	// ReserveLong keeps this many slots of each kind on each node for tasks shorter than LongTask,
	// if the node has more [Zaharia10 §3.5.1]; 0 turns it off. A job is long if its MapTime or
	// ReduceTime is.
	ReserveLong int
	LongTask    time.Duration

	Pools      Allocations      // order "pools"
	Preemption PreemptionPolicy // order "pools"
	Queues     []QueueConfig    // order "capacity", parents before children; empty means one queue "default" of 100 %
	HFSP       HFSPPolicy       // order "hfsp"
	Quincy     QuincyPolicy     // order "quincy"

	Speculation SpeculationPolicy // speculative attempts of slow tasks
	Avoid       Avoidance         // of nodes on which attempts fail
}

// DefaultSlowStart is the fraction of a job's maps that must be done before its reduces launch,
// unless the policy or the job sets another [Hadoop].
const DefaultSlowStart = 0.05

// LocalityRule names a rule that decides how long a job waits for a node-local or rack-local slot.
type LocalityRule uint8

// The locality rules.
const (
	// Greedy launches the nearest pending map at once [Hadoop].
	Greedy LocalityRule = iota
	// SkipCount first refuses a number of slot offers per level [Zaharia10 Algorithm 2, §3.6].
	SkipCount
	// TimedWait first waits a time per level [Zaharia10 Algorithm 3].
	TimedWait
)

// LocalityPolicy configures the placement of maps.
type LocalityPolicy struct {
	Rule LocalityRule
	// Part, if not empty, names a rule in Config.Parts, in place of Rule.
	Part string `json:",omitempty"`
	// Skips[l] is the number of offers refused at level l before level l+1 is allowed: {D} or {D1,
	// D2}; with D alone, rack-local counts as off-rack. Auto, with no numbers, gives each job the D
	// with which 95 % of its maps run node-local: Equation 2 of [Zaharia10 §3.5] for its maps and
	// replicas and the live nodes.
	Skips []int
	// Waits[l] is the wait at level l: {W1, W2}. With Auto each is
	// min(15 s, 1.5 heartbeat intervals).
	Waits []time.Duration
	Auto  bool
	// Capped continues the wait across a local launch if one of the last N heartbeats was refused,
	// with N nodes. Without it, a job whose local tasks are shorter than the wait may never use the
	// rest of the cluster. The paper has no such cap.
	Capped bool
}

// NeedsProgress reports whether the policy uses the progress of running tasks of a kind, so that
// nodes must report it. Other policies need only the ends of attempts.
func (p Policy) NeedsProgress(k TaskKind) bool {
	if p.Speculation.Rule != NoSpeculation {
		return true
	}
	return p.Order == "hfsp" && k == Reduce
}

// NeedsSizes reports whether the placement of reduces uses the sizes of map outputs.
func (p Policy) NeedsSizes() bool { return p.Reduce.Rule != AnyNode || p.Reduce.Part != "" }

// ReduceRule names a rule for placing reduces.
type ReduceRule uint8

// The reduce rules.
const (
	AnyNode ReduceRule = iota // the first pending reduce, on any node
	CoGRS                     // at the center of gravity of their input [Hammoud12]
	LARTS                     // at the node that holds most of their input [Hammoud11]
)

// ReducePolicy configures the placement of reduces. Zero numbers select the given defaults.
type ReducePolicy struct {
	Rule  ReduceRule
	Part  string           `json:",omitempty"` // if not empty: a rule in Config.Parts, instead of Rule
	Waits [2]time.Duration // for the center, then for its rack; default min(15 s, 1.5 heartbeat intervals)
	// Theta is the minimum gain for which a reduce waits, as a fraction of the maximum weighted
	// distance; default 0.05, negative means 0.
	Theta float64
	// SkewCap c limits a node to ceil(c R / nodes) of a job's R reduces; default 1.5, negative
	// means no limit.
	SkewCap float64
	// NoProjection ignores running maps; without it, while few outputs are known, each running map
	// counts on its node with the job's mean output.
	NoProjection bool
}

// NoLimit is the value of a limit that never applies.
const NoLimit = math.MaxInt32

// PoolMode selects how a pool orders its jobs.
type PoolMode uint8

// The pool modes; the zero value selects the default mode of the Allocations.
const (
	DefaultMode PoolMode = iota
	FairMode
	FIFOMode
)

// PoolConfig is the allocation of one pool. Pairs are indexed by TaskKind. Zero values mean no
// minimum, no maximum, weight 1, and the defaults of the Allocations.
type PoolConfig struct {
	Name       string
	Min        [2]int
	Max        [2]int // 0 or NoLimit: none; -1: no slots at all
	Weight     float64
	Mode       PoolMode
	MaxJobs    int           // 0: the default; NoLimit: none; -1: no job may run
	MinTimeout time.Duration // minimum share preemption timeout; 0: the default; negative: none
}

// UserConfig holds the limits of one user.
type UserConfig struct {
	Name    string
	MaxJobs int // 0: the default; NoLimit: none; -1: no job may run
}

// Allocations holds the settings of Hadoop's fair-scheduler.xml. The zero value has no limits and
// no timeouts.
type Allocations struct {
	Pools       []PoolConfig
	Users       []UserConfig
	PoolMaxJobs int           // default of pools; 0 means no limit
	UserMaxJobs int           // default of users; 0 means no limit
	PoolMode    PoolMode      // default mode; zero is fair
	MinTimeout  time.Duration // default minimum share preemption timeout; 0 means none
	FairTimeout time.Duration // fair share preemption timeout; 0 means none
	// PoolPerUser puts a job without a pool into the pool with its user's name instead of
	// "default".
	PoolPerUser bool
	// Known rejects pools that are not listed (the pool "default" always exists).
	Known bool

	SizeBasedWeight bool          // weights are multiplied by log2(1 + demand)
	BoostFactor     float64       // weight factor of jobs younger than BoostTime; 0 means none
	BoostTime       time.Duration // default 5 min
}

// SetWeight sets a pool's weight in a copy of a.Pools, so that other holders of the slice see no
// change. It returns false and does nothing if only listed pools are Known and this is not one.
func (a *Allocations) SetWeight(pool string, weight float64) bool {
	list := slices.Clone(a.Pools)
	at := slices.IndexFunc(list, func(c PoolConfig) bool { return c.Name == pool })
	if at < 0 {
		if a.Known && pool != "default" {
			return false
		}
		at = len(list)
		list = append(list, PoolConfig{Name: pool})
	}
	list[at].Weight = weight
	a.Pools = list
	return true
}

// PreemptionMode selects whether the order "pools" kills attempts for starved pools.
type PreemptionMode uint8

// The preemption modes.
const (
	PreemptOff PreemptionMode = iota
	PreemptLog                // compute and report, kill nothing
	PreemptOn
)

// PreemptionPolicy configures preemption of the order "pools".
type PreemptionPolicy struct {
	Mode PreemptionMode
	// Interval between rounds, run by Update; 0 means 15 s, negative means only by Preempt.
	Interval time.Duration
}

// QueueConfig configures one queue of the capacity scheduler.
type QueueConfig struct {
	Name       string
	Parent     string  // empty: a top queue
	Capacity   float64 // percent of the parent's slots; 0 means an equal part of what its siblings do not use
	Max        float64 // percent of the parent's slots; 0 means none
	UserLimit  int     // minimum user limit in percent; 0 means 100
	Priorities bool
	InitJobs   int // initialized jobs per user; 0 means 2
	// UserFactor times the queue's capacity is the maximum of one user, even if slots are idle; at
	// least one slot. 0 means no such limit.
	UserFactor float64
	InitLimit  int // initialized jobs of all users; 0 means no limit
	JobLimit   int // jobs, including waiting ones; more are rejected. 0 means no limit
}

// Reclaim selects how hfsp takes a slot from a larger job.
type Reclaim uint8

// The ways to reclaim a slot.
const (
	EagerSuspend Reclaim = iota // suspends attempts of the larger job
	WaitForSlot                 // takes no slot: waits until a task ends
	KillLarger                  // kills attempts of the larger job
)

// HFSPPolicy configures the order "hfsp". Zero numbers select the given defaults.
type HFSPPolicy struct {
	Reclaim    Reclaim
	NoTraining bool          // sizes are known: tasks times MapTime or ReduceTime
	Sample     int           // tasks to train on; default 5
	Delta      time.Duration // run time of a reduce before its progress is used to estimate its length; default 60 s
	Xi         float64       // initial size = Xi × tasks × mean task; default 1; negative: infinite, only training slots
	Initial    time.Duration // assumed duration of a task until one of its kind has finished; default 60 s
	// Estimator turns samples into a job's size: "mean" (default) or "fit" (a fitted distribution).
	Estimator string
	// SuspendHigh: once N tasks are suspended in the cluster, wait instead; suspend again when at
	// most SuspendLow remain. 0 means no limit.
	SuspendHigh int
	SuspendLow  int
	// Weighted makes virtual shares proportional to the priorities' weights (4, 2, 1, 0.5, 0.25).
	Weighted bool
}

// QuincyRule names a variant of the order "quincy", with the names of the paper [Isard09 §6].
type QuincyRule uint8

// The variants of Quincy.
const (
	QFP QuincyRule = iota // fair shares, and running maps may be killed
	QF                    // fair shares
	QP                    // running maps may be killed
	Q                     // neither
)

// QuincyPolicy configures the order "quincy". A cost is given as the time that a map of normal
// priority must wait to reach it. Zero numbers select the given defaults.
type QuincyPolicy struct {
	Rule QuincyRule
	// Rack is the cost of a map that reads its input from another node of its rack, Far from
	// outside the rack; default 2.5 s and 5 s, negative means 0. A Rack above Far counts as Far.
	Rack, Far time.Duration
	// Floor is the fraction of its fair share, rounded down to whole slots, that a job's maps get
	// at any cost, 0 to 1; default 1, negative means none. For QFP and QF.
	Floor float64
	// Lost is the cost, in seconds, of each second that a map has run and would lose if killed; 0
	// or more, default 1, negative means 0. For QFP and QP.
	Lost float64
	// Interval is the time between checks of running maps, by Update; default 1 s, negative means
	// only by Preempt. For QFP and QP.
	Interval time.Duration
}

// DefaultName is the pool or queue of jobs that name none.
const DefaultName = "default"
