package scheduling

import "github.com/tarry-mr/tarry/scheduling/internal/engine"

// Policy is the choice and the settings of every part, as plain data. Preset fills one; change what
// you like before NewCore. Any order goes with any locality rule and any reduce placement.
type Policy = engine.Policy

// DefaultSlowStart is the share of a job's maps that must be done before its reduces launch, unless
// the policy or the job says another one [Hadoop].
const DefaultSlowStart = engine.DefaultSlowStart

// LocalityPolicy sets the rule for maps.
type LocalityPolicy = engine.LocalityPolicy

// LocalityRule names a way to weigh waiting against launching a map off its data.
type LocalityRule = engine.LocalityRule

// The rules.
const (
	Greedy = engine.Greedy // Greedy launches the nearest pending map at once [Hadoop].
	// SkipCount refuses that many slot offers per level first [Zaharia10 Algorithm 2, §3.6].
	SkipCount = engine.SkipCount
	// TimedWait waits that long per level first [Zaharia10 Algorithm 3].
	TimedWait = engine.TimedWait
)

// ReducePolicy sets the rule for reduces. Zero numbers mean the defaults given.
type ReducePolicy = engine.ReducePolicy

// ReduceRule names a way to place reduces.
type ReduceRule = engine.ReduceRule

// The rules.
const (
	AnyNode = engine.AnyNode
	CoGRS   = engine.CoGRS // at the center of gravity of their input [Hammoud12]
	LARTS   = engine.LARTS // at the node that holds most of their input [Hammoud11]
)

// Allocations is what Hadoop keeps in fair-scheduler.xml. The zero value has no limit and no
// timeout.
type Allocations = engine.Allocations

// PoolConfig is one pool's allocation. Pairs are indexed by TaskKind. Zero values mean: no minimum,
// no maximum, weight 1, the defaults of the Allocations.
type PoolConfig = engine.PoolConfig

// UserConfig limits one user.
type UserConfig = engine.UserConfig

// PoolMode is how a pool orders its jobs.
type PoolMode = engine.PoolMode

// The modes; the zero value takes the default mode of the Allocations.
const (
	DefaultMode = engine.DefaultMode
	FairMode    = engine.FairMode
	FIFOMode    = engine.FIFOMode
)

// NoLimit is a limit that never binds.
const NoLimit = engine.NoLimit

// PreemptionPolicy sets preemption of the order "pools".
type PreemptionPolicy = engine.PreemptionPolicy

// PreemptionMode says what becomes of the needs worked out.
type PreemptionMode = engine.PreemptionMode

// The modes.
const (
	PreemptOff = engine.PreemptOff
	PreemptOn  = engine.PreemptOn
	PreemptLog = engine.PreemptLog // work out and report, kill nothing
)

// QueueConfig is one queue of the capacity scheduler.
type QueueConfig = engine.QueueConfig

// HFSPPolicy sets the order "hfsp". Zero numbers mean the defaults given.
type HFSPPolicy = engine.HFSPPolicy

// Reclaim says how hfsp takes a slot from a larger job.
type Reclaim = engine.Reclaim

// The ways.
const (
	EagerSuspend = engine.EagerSuspend
	WaitForSlot  = engine.WaitForSlot
	KillLarger   = engine.KillLarger
)

// QuincyPolicy sets the order "quincy". Costs are told as the time that a map of normal priority
// waits for the same cost. Zero numbers mean the defaults given.
type QuincyPolicy = engine.QuincyPolicy

// QuincyRule names a variant of the order "quincy", as the paper does [Isard09 §6].
type QuincyRule = engine.QuincyRule

// The variants.
const (
	QFP = engine.QFP // fair shares, and running maps may be killed
	QF  = engine.QF  // fair shares
	QP  = engine.QP  // running maps may be killed
	Q   = engine.Q   // neither
)

// SpeculationPolicy sets when tasks are copied. Zero numbers mean the defaults given, which are
// Hadoop's.
type SpeculationPolicy = engine.SpeculationPolicy

// SpeculationRule names a way to find the tasks that are so slow that a copy of them is worth a
// slot. The first attempt of a task to succeed, or to be granted its commit, wins.
type SpeculationRule = engine.SpeculationRule

// The rules.
const (
	NoSpeculation = engine.NoSpeculation
	// NativeRule copies tasks whose progress is 0.2 below the mean of their kind in the job, on any
	// node [Hadoop 0.20; Zaharia08 §2.1].
	NativeRule = engine.NativeRule
	// LATE copies the task with the longest estimated time to end, if it is slow, on a node that is
	// not, as long as few copies run [Zaharia08 §4; Hadoop 0.21].
	LATE = engine.LATE
)

// Avoidance says when a node on which attempts fail gets no more tasks [Hadoop: tracker
// blacklists]. A node that joins anew under its name, with another incarnation, has no faults.
type Avoidance = engine.Avoidance

// Preset gives the named policy with its default settings: reduces on any node, default slow start.
// The caller may change it.
func Preset(name string) (Policy, error) { return engine.Preset(name) }

// Presets lists the names of the presets.
func Presets() []string { return engine.Presets() }

// Orders lists the names of the orders.
func Orders() []string { return engine.Orders() }

// DefaultReduceRule is where a cluster puts reduces under the named preset unless told otherwise: at
// their center of gravity under hfs, the engine's own scheduler; on any node, as Hadoop does, under
// the others, which are baselines.
func DefaultReduceRule(preset string) ReduceRule { return engine.DefaultReduceRule(preset) }
