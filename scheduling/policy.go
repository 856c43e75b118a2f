package scheduling

import (
	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/engine"
)

// Policy is the choice and the settings of every part, as plain data. Preset fills one; change what
// you like before NewCore. Any order goes with any locality rule and any reduce placement.
type Policy = core.Policy

// DefaultSlowStart is the share of a job's maps that must be done before its reduces launch, unless
// the policy or the job says another one [Hadoop].
const DefaultSlowStart = core.DefaultSlowStart

// LocalityPolicy sets the rule for maps.
type LocalityPolicy = core.LocalityPolicy

// LocalityRule names a way to weigh waiting against launching a map off its data.
type LocalityRule = core.LocalityRule

// The rules.
const (
	Greedy = core.Greedy // Greedy launches the nearest pending map at once [Hadoop].
	// SkipCount refuses that many slot offers per level first [Zaharia10 Algorithm 2, §3.6].
	SkipCount = core.SkipCount
	// TimedWait waits that long per level first [Zaharia10 Algorithm 3].
	TimedWait = core.TimedWait
)

// ReducePolicy sets the rule for reduces. Zero numbers mean the defaults given.
type ReducePolicy = core.ReducePolicy

// ReduceRule names a way to place reduces.
type ReduceRule = core.ReduceRule

// The rules.
const (
	AnyNode = core.AnyNode
	CoGRS   = core.CoGRS // at the center of gravity of their input [Hammoud12]
	LARTS   = core.LARTS // at the node that holds most of their input [Hammoud11]
)

// Allocations is what Hadoop keeps in fair-scheduler.xml. The zero value has no limit and no
// timeout.
type Allocations = core.Allocations

// PoolConfig is one pool's allocation. Pairs are indexed by TaskKind. Zero values mean: no minimum,
// no maximum, weight 1, the defaults of the Allocations.
type PoolConfig = core.PoolConfig

// UserConfig limits one user.
type UserConfig = core.UserConfig

// PoolMode is how a pool orders its jobs.
type PoolMode = core.PoolMode

// The modes; the zero value takes the default mode of the Allocations.
const (
	DefaultMode = core.DefaultMode
	FairMode    = core.FairMode
	FIFOMode    = core.FIFOMode
)

// NoLimit is a limit that never binds.
const NoLimit = core.NoLimit

// PreemptionPolicy sets preemption of the order "pools".
type PreemptionPolicy = core.PreemptionPolicy

// PreemptionMode says what becomes of the needs worked out.
type PreemptionMode = core.PreemptionMode

// The modes.
const (
	PreemptOff = core.PreemptOff
	PreemptOn  = core.PreemptOn
	PreemptLog = core.PreemptLog // work out and report, kill nothing
)

// QueueConfig is one queue of the capacity scheduler.
type QueueConfig = core.QueueConfig

// HFSPPolicy sets the order "hfsp". Zero numbers mean the defaults given.
type HFSPPolicy = core.HFSPPolicy

// Reclaim says how hfsp takes a slot from a larger job.
type Reclaim = core.Reclaim

// The ways.
const (
	EagerSuspend = core.EagerSuspend
	WaitForSlot  = core.WaitForSlot
	KillLarger   = core.KillLarger
)

// QuincyPolicy sets the order "quincy". Costs are told as the time that a map of normal priority
// waits for the same cost. Zero numbers mean the defaults given.
type QuincyPolicy = core.QuincyPolicy

// QuincyRule names a variant of the order "quincy", as the paper does [Isard09 §6].
type QuincyRule = core.QuincyRule

// The variants.
const (
	QFP = core.QFP // fair shares, and running maps may be killed
	QF  = core.QF  // fair shares
	QP  = core.QP  // running maps may be killed
	Q   = core.Q   // neither
)

// SpeculationPolicy sets when tasks are copied. Zero numbers mean the defaults given, which are
// Hadoop's.
type SpeculationPolicy = core.SpeculationPolicy

// SpeculationRule names a way to find the tasks that are so slow that a copy of them is worth a
// slot. The first attempt of a task to succeed, or to be granted its commit, wins.
type SpeculationRule = core.SpeculationRule

// The rules.
const (
	NoSpeculation = core.NoSpeculation
	// NativeRule copies tasks whose progress is 0.2 below the mean of their kind in the job, on any
	// node [Hadoop 0.20; Zaharia08 §2.1].
	NativeRule = core.NativeRule
	// LATE copies the task with the longest estimated time to end, if it is slow, on a node that is
	// not, as long as few copies run [Zaharia08 §4; Hadoop 0.21].
	LATE = core.LATE
)

// Avoidance says when a node on which attempts fail gets no more tasks [Hadoop: tracker
// blacklists]. A node that joins anew under its name, with another incarnation, has no faults.
type Avoidance = core.Avoidance

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
