package core

import (
	"math"
	"slices"
	"time"
)

// Policy selects and configures every part, as plain data. Preset returns one, which may be changed
// before NewCore. Any order works with any locality rule and any reduce placement.
type Policy struct {
	Name     string         // of the preset; shown, not interpreted
	Order    string         // who is next: a name in the order table, or in Config.Parts
	Locality LocalityPolicy // may this map go to this node now
	Reduce   ReducePolicy   // may this reduce go to this node now

	// SlowStart is the share of a job's maps that must be done before its reduces launch, 0 to 1.
	// Negative takes the default, 0.05 [Hadoop], whatever the placement of reduces.
	SlowStart float64
	// OneTask limits a heartbeat to one task in all; only the order "pools" heeds it
	// (assignmultiple=false).
	OneTask bool
	// Spread makes nodes of an under-loaded cluster take at most their part of the tasks (orders
	// "fifo" and "pools").
	Spread bool
	// LoadMaxDiff is how far above its part a node's load may go, 0 to 1, with Spread under
	// "pools".
	LoadMaxDiff float64
	// ReserveLong keeps, on each node, this many slots of each kind for tasks shorter than
	// LongTask, if the node has more [Zaharia10 §3.5.1]; 0 turns it off. A job is long if its
	// MapTime or ReduceTime says so.
	ReserveLong int
	LongTask    time.Duration

	Pools      Allocations      // order "pools"
	Preemption PreemptionPolicy // order "pools"
	Queues     []QueueConfig    // order "capacity", parents before children; empty means one queue "default" of 100 %
	HFSP       HFSPPolicy       // order "hfsp"
	Quincy     QuincyPolicy     // order "quincy"

	Speculation SpeculationPolicy // copies of slow tasks
	Avoid       Avoidance         // of nodes on which attempts fail
}

// DefaultSlowStart is the fraction of a job's maps that must be done before its reduces launch,
// unless the policy or the job sets another [Hadoop].
const DefaultSlowStart = 0.05

// LocalityRule names a rule that decides how long a job waits for a node-local or rack-local slot.
type LocalityRule uint8

// The rules.
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
	// Skips[l] is how many offers are refused at level l before level l+1 is allowed: {D}, or {D1,
	// D2}; with one number racks count as anywhere. Auto, with no numbers, gives each job the D
	// with which 95 % of its maps run on their data: Equation 2 of [Zaharia10 §3.5] for its maps and
	// replicas and the live nodes.
	Skips []int
	// Waits[l] is how long level l is waited for: {W1, W2}, more where racks are grouped. Auto
	// takes the place of each: min(15 s, 1.5 heartbeat intervals).
	Waits []time.Duration
	Auto  bool
	// Capped keeps the wait running over a local launch if one of the last heartbeats, as many as
	// there are nodes, was refused; without it a job whose local tasks are shorter than the wait
	// may never use the rest of the cluster. The paper has no such cap.
	Capped bool
}

// NeedsProgress tells whether the policy learns from the progress of running attempts at tasks of a
// kind: their nodes must report it. Others do with the ends alone, but see more of a reduce with it.
func (p Policy) NeedsProgress(k TaskKind) bool {
	if p.Speculation.Rule != NoSpeculation {
		return true
	}
	return p.Order == "hfsp" && k == Reduce
}

// NeedsSizes tells whether the placement of reduces goes by the sizes of the maps' outputs.
func (p Policy) NeedsSizes() bool { return p.Reduce.Rule != AnyNode || p.Reduce.Part != "" }

// ReduceRule names a rule for placing reduces.
type ReduceRule uint8

// The rules.
const (
	AnyNode ReduceRule = iota
	CoGRS              // at the center of gravity of their input [Hammoud12]
	LARTS              // at the node that holds most of their input [Hammoud11]
)

// ReducePolicy configures the placement of reduces. Zero numbers select the given defaults.
type ReducePolicy struct {
	Rule  ReduceRule
	Part  string           `json:",omitempty"` // if not empty: a rule in Config.Parts, in place of Rule
	Waits [2]time.Duration // for the center, then for its rack; default min(15 s, 1.5 heartbeat intervals)
	// Theta is the part of the worst weighted distance that is not worth waiting for; default 0.05,
	// negative means 0.
	Theta float64
	// SkewCap c limits a node to ceil(c R / nodes) of a job's R reduces; default 1.5, negative
	// means no limit.
	SkewCap float64
	// NoProjection leaves running maps out; else each counts with the job's mean output, on its
	// node, while outputs are few.
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
	Max        [2]int // 0 or NoLimit: none; to allow no slot at all set -1
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
	// PoolPerUser puts a job without a pool into the pool of its user's name rather than into
	// "default".
	PoolPerUser bool
	// Known refuses pools that are not listed (the pool "default" always exists).
	Known bool

	SizeBasedWeight bool          // weights are multiplied by log2(1 + demand)
	BoostFactor     float64       // weight factor of jobs younger than BoostTime; 0 means none
	BoostTime       time.Duration // default 5 min
}

// SetWeight gives a pool a weight, in a slice of its own: the pools that others hold stay as they are. It
// does nothing and reports false if the pools are Known and this is none of them.
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

// The modes.
const (
	PreemptOff PreemptionMode = iota
	PreemptLog                // work out and report, kill nothing
	PreemptOn
)

// PreemptionPolicy configures preemption of the order "pools".
type PreemptionPolicy struct {
	Mode PreemptionMode
	// Interval between rounds, run by Update; 0 means 15 s, negative means never by itself (only by
	// Preempt).
	Interval time.Duration
}

// QueueConfig configures one queue of the capacity scheduler.
type QueueConfig struct {
	Name       string
	Parent     string  // empty: a top queue
	Capacity   float64 // per cent of the parent's slots; 0 means an equal part of what its siblings leave
	Max        float64 // per cent of the parent's slots; 0 means none
	UserLimit  int     // minimum user limit in per cent; 0 means 100
	Priorities bool
	InitJobs   int // initialized jobs per user; 0 means 2
	// UserFactor times the queue's capacity is the most that one user holds, however much is idle;
	// one slot at least. 0 means no such limit.
	UserFactor float64
	InitLimit  int // initialized jobs of all users; 0 means no limit
	JobLimit   int // jobs, waiting ones too; more are refused. 0 means no limit
}

// Reclaim selects how hfsp takes a slot from a larger job.
type Reclaim uint8

// The ways.
const (
	EagerSuspend Reclaim = iota
	WaitForSlot
	KillLarger
)

// HFSPPolicy configures the order "hfsp". Zero numbers select the given defaults.
type HFSPPolicy struct {
	Reclaim    Reclaim
	NoTraining bool          // sizes are known: tasks times MapTime or ReduceTime
	Sample     int           // tasks to train on; default 5
	Delta      time.Duration // how long a reduce runs before its progress tells its length; default 60 s
	Xi         float64       // initial size = Xi × tasks × mean task; default 1; +Inf: no slots but for training
	Initial    time.Duration // assumed duration of a task while none of its kind has finished; default 60 s
	// Estimator turns samples into a job's size: "mean" (default) or "fit" (a fitted distribution).
	Estimator string
	// SuspendHigh: once so many tasks are suspended in the cluster, wait instead; when no more than
	// SuspendLow are left, suspend again. 0 means no limit.
	SuspendHigh int
	SuspendLow  int
	// Weighted makes virtual shares proportional to the priorities' weights (4, 2, 1, 0.5, 0.25).
	Weighted bool
}

// QuincyRule names a variant of the order "quincy", with the names of the paper [Isard09 §6].
type QuincyRule uint8

// The variants.
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
	// beyond; default 2.5 s and 5 s, negative means nothing. Where racks are grouped, the levels
	// between lie evenly between them. A Rack above Far counts as Far.
	Rack, Far time.Duration
	// Floor is the part of its fair share, cut to whole slots, that a job's maps get at any cost, 0
	// to 1; default 1, negative means none. For QFP and QF.
	Floor float64
	// Lost is the cost of each second that a map has run and would lose by being killed, in
	// seconds; 0 or more, default 1, negative means nothing. For QFP and QP.
	Lost float64
	// Interval is how often running maps are looked at, by Update; default 1 s, negative means
	// never by itself (only by Preempt). For QFP and QP.
	Interval time.Duration
}

// DefaultName is the pool and the queue of jobs that name none.
const DefaultName = "default"
