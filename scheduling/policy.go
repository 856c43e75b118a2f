package scheduling

import (
	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/engine"
)

// Policy selects and configures all parts of the scheduler; it is plain data. Preset returns a
// Policy to use or change. Any order works with any locality rule and any reduce placement.
type Policy = core.Policy

// DefaultSlowStart is the fraction of a job's maps that must be done before its reduces launch,
// unless the policy or the job sets another [Hadoop].
const DefaultSlowStart = core.DefaultSlowStart

// LocalityPolicy configures the placement of maps.
type LocalityPolicy = core.LocalityPolicy

// LocalityRule names a rule that decides how long a job waits for a node-local or rack-local slot.
type LocalityRule = core.LocalityRule

// The locality rules.
const (
	Greedy = core.Greedy // Greedy launches the nearest pending map at once [Hadoop].
	// SkipCount first refuses a number of slot offers per level [Zaharia10 Algorithm 2, §3.6].
	SkipCount = core.SkipCount
	// TimedWait first waits a time per level [Zaharia10 Algorithm 3].
	TimedWait = core.TimedWait
)

// ReducePolicy configures the placement of reduces. Zero numbers select the given defaults.
type ReducePolicy = core.ReducePolicy

// ReduceRule names a rule for placing reduces.
type ReduceRule = core.ReduceRule

// The reduce rules.
const (
	AnyNode = core.AnyNode
	CoGRS   = core.CoGRS // at the center of gravity of their input [Hammoud12]
	LARTS   = core.LARTS // at the node that holds most of their input [Hammoud11]
)

// Allocations holds the settings of Hadoop's fair-scheduler.xml. The zero value has no limits and
// no timeouts.
type Allocations = core.Allocations

// PoolConfig is the allocation of one pool. A pair has the number for maps and that for reduces.
// Zero values mean no minimum, no maximum, weight 1, and the defaults of the Allocations.
type PoolConfig = core.PoolConfig

// UserConfig holds the limits of one user.
type UserConfig = core.UserConfig

// PoolMode selects how a pool orders its jobs.
type PoolMode = core.PoolMode

// The pool modes; the zero value selects the default mode of the Allocations.
const (
	DefaultMode = core.DefaultMode
	FairMode    = core.FairMode
	FIFOMode    = core.FIFOMode
)

// NoLimit, as the value of a limit, turns that limit off.
const NoLimit = core.NoLimit

// PreemptionPolicy configures preemption of the order "pools".
type PreemptionPolicy = core.PreemptionPolicy

// PreemptionMode selects whether the order "pools" kills attempts for starved pools.
type PreemptionMode = core.PreemptionMode

// The preemption modes.
const (
	PreemptOff = core.PreemptOff
	PreemptOn  = core.PreemptOn
	PreemptLog = core.PreemptLog // compute and report, kill nothing
)

// QueueConfig configures one queue of the capacity scheduler.
type QueueConfig = core.QueueConfig

// HFSPPolicy configures the order "hfsp". Zero numbers select the given defaults.
type HFSPPolicy = core.HFSPPolicy

// Reclaim selects how hfsp takes a slot from a larger job.
type Reclaim = core.Reclaim

// The ways to reclaim a slot.
const (
	EagerSuspend = core.EagerSuspend
	WaitForSlot  = core.WaitForSlot
	KillLarger   = core.KillLarger
)

// QuincyPolicy configures the order "quincy". A cost is given as a time: a map of normal priority
// accepts it after it has waited that long. Zero numbers select the given defaults.
type QuincyPolicy = core.QuincyPolicy

// QuincyRule names a variant of the order "quincy", with the names of the paper [Isard09 §6].
type QuincyRule = core.QuincyRule

// The variants of Quincy: what limits the running maps of jobs.
const (
	QFP = core.QFP // fair shares, and running maps may be killed
	QF  = core.QF  // fair shares
	QP  = core.QP  // running maps may be killed
	Q   = core.Q   // neither
)

// SpeculationPolicy configures speculative execution. Zero numbers select the given defaults, which
// are Hadoop's.
type SpeculationPolicy = core.SpeculationPolicy

// SpeculationRule names a rule that finds tasks slow enough for a second, speculative attempt. Of
// the attempts of a task, the first to succeed, or to be allowed to commit, wins.
type SpeculationRule = core.SpeculationRule

// The speculation rules.
const (
	NoSpeculation = core.NoSpeculation
	// NativeRule starts speculative attempts of tasks whose progress is 0.2 below the mean of their
	// kind in the job, on any node [Hadoop 0.20; Zaharia08 §2.1].
	NativeRule = core.NativeRule
	// LATE starts a speculative attempt of the slow task with the longest estimated time to end. It
	// needs a node that is not slow, and few running ones [Zaharia08 §4; Hadoop 0.21].
	LATE = core.LATE
)

// Avoidance configures when a node on which attempts fail gets no more tasks [Hadoop: tracker
// blacklists]. A node that joins with another Incarnation starts with no failures.
type Avoidance = core.Avoidance

// Preset returns the named policy with its default settings: reduces on any node, default slow
// start. The caller may change it.
func Preset(name string) (Policy, error) { return engine.Preset(name) }

// Presets returns the names of the presets.
func Presets() []string { return engine.Presets() }

// Orders returns the names of the orders.
func Orders() []string { return engine.Orders() }

// DefaultReduceRule returns the reduce rule of a cluster whose user names only the preset. It is
// CoGRS for hfs, the engine's own scheduler, and AnyNode, as in Hadoop, for the others, which are
// baselines.
func DefaultReduceRule(preset string) ReduceRule { return engine.DefaultReduceRule(preset) }
