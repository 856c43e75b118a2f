package scheduling

import (
	"github.com/tarry-mr/tarry/scheduling/internal/engine"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// Policy selects and configures all parts of the scheduler; it is plain data. Preset returns a
// Policy to use or change. Any order works with any locality rule and any reduce placement.
type Policy = model.Policy

// DefaultSlowStart is the fraction of a job's maps that must be done before its reduces launch,
// unless the policy or the job sets another [Hadoop].
const DefaultSlowStart = model.DefaultSlowStart

// LocalityPolicy configures the placement of maps.
type LocalityPolicy = model.LocalityPolicy

// LocalityRule names a rule that decides how long a job waits for a node-local or rack-local slot.
type LocalityRule = model.LocalityRule

// The locality rules.
const (
	Greedy = model.Greedy // Greedy launches the nearest pending map at once [Hadoop].
	// SkipCount first refuses a number of slot offers per level [Zaharia10 Algorithm 2, §3.6].
	SkipCount = model.SkipCount
	// TimedWait first waits a time per level [Zaharia10 Algorithm 3].
	TimedWait = model.TimedWait
)

// ReducePolicy configures the placement of reduces. Zero numbers select the given defaults.
type ReducePolicy = model.ReducePolicy

// ReduceRule names a rule for placing reduces.
type ReduceRule = model.ReduceRule

// The reduce rules.
const (
	AnyNode = model.AnyNode
	CoGRS   = model.CoGRS // at the center of gravity of their input [Hammoud12]
	LARTS   = model.LARTS // at the node that holds most of their input [Hammoud11]
)

// Allocations holds the settings of Hadoop's fair-scheduler.xml. The zero value has no limits and
// no timeouts.
type Allocations = model.Allocations

// PoolConfig is the allocation of one pool. A pair has the number for maps and that for reduces.
// Zero values mean no minimum, no maximum, weight 1, and the defaults of the Allocations.
type PoolConfig = model.PoolConfig

// UserConfig holds the limits of one user.
type UserConfig = model.UserConfig

// PoolMode selects how a pool orders its jobs.
type PoolMode = model.PoolMode

// The pool modes; the zero value selects the default mode of the Allocations.
const (
	DefaultMode = model.DefaultMode
	FairMode    = model.FairMode
	FIFOMode    = model.FIFOMode
)

// NoLimit turns a limit off that has it as its value.
const NoLimit = model.NoLimit

// PreemptionPolicy configures preemption of the order "pools".
type PreemptionPolicy = model.PreemptionPolicy

// PreemptionMode selects whether the order "pools" kills attempts for starved pools.
type PreemptionMode = model.PreemptionMode

// The preemption modes.
const (
	PreemptOff = model.PreemptOff
	PreemptOn  = model.PreemptOn
	PreemptLog = model.PreemptLog // compute and report, kill nothing
)

// QueueConfig configures one queue of the capacity scheduler.
type QueueConfig = model.QueueConfig

// HFSPPolicy configures the order "hfsp". Zero numbers select the given defaults.
type HFSPPolicy = model.HFSPPolicy

// Reclaim selects how hfsp takes a slot from a larger job.
type Reclaim = model.Reclaim

// The ways to reclaim a slot.
const (
	EagerSuspend = model.EagerSuspend
	WaitForSlot  = model.WaitForSlot
	KillLarger   = model.KillLarger
)

// QuincyPolicy configures the order "quincy". A cost is given as a time: a map of normal priority
// accepts it after it has waited that long. Zero numbers select the given defaults.
type QuincyPolicy = model.QuincyPolicy

// QuincyRule names a variant of the order "quincy", with the names of the paper [Isard09 §6].
type QuincyRule = model.QuincyRule

// The variants of Quincy: what limits the running maps of jobs.
const (
	QFP = model.QFP // fair shares, and running maps may be killed
	QF  = model.QF  // fair shares
	QP  = model.QP  // running maps may be killed
	Q   = model.Q   // neither
)

// SpeculationPolicy configures speculative execution. Zero numbers select the given defaults, which
// are Hadoop's.
type SpeculationPolicy = model.SpeculationPolicy

// SpeculationRule names a rule that finds tasks slow enough for a second, speculative attempt. Of
// the attempts of a task, the first to succeed, or to be allowed to commit, wins.
type SpeculationRule = model.SpeculationRule

// The speculation rules.
const (
	NoSpeculation = model.NoSpeculation
	// NativeRule starts speculative attempts of tasks whose progress is 0.2 below the mean of their
	// kind in the job, on any node [Hadoop 0.20; Zaharia08 §2.1].
	NativeRule = model.NativeRule
	// LATE starts a speculative attempt of the slow task with the longest estimated time to end. It
	// needs a node that is not slow, and few running ones [Zaharia08 §4; Hadoop 0.21].
	LATE = model.LATE
)

// Avoidance configures when a node on which attempts fail gets no more tasks [Hadoop: tracker
// blacklists]. A node that joins with another Incarnation starts with no failures.
type Avoidance = model.Avoidance

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
