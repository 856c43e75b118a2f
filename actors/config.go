package actors

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"time"

	"github.com/tarry-mr/tarry/actors/state"
	"github.com/tarry-mr/tarry/dfs"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/access"
	"github.com/tarry-mr/tarry/scheduling/calls"
)

// Config describes a cluster. The zero value is one node with one map slot and one reduce slot per
// core, and the default scheduler.
type Config struct {
	// Nodes is the number of nodes, at most 50,000; 0 means 1. They are called node-00, node-01, …
	// and spread round robin over Racks racks called rack-0, rack-1, ….
	Nodes int
	Racks int

	// MapSlots and ReduceSlots are per node, at most 10,000; 0 means one per core.
	MapSlots    int
	ReduceSlots int

	// Parallelism limits how many attempts compute at once in this process, whatever the number of
	// slots; 0 means as many as there are slots. Set it to the number of cores if many emulated
	// nodes run compute-bound work: further attempts hold their slot and wait. With a Memory the
	// limit is also one attempt per 8 MiB of it, the least that an attempt needs, but at least two.
	Parallelism int

	// Replication is the number of replicas of each block; 0 means min(3, Nodes).
	Replication int

	// HealRate limits how many bytes of lost replicas a node re-replicates per second, like
	// Hadoop's dfs.balance.bandwidthPerSec; 0 means 64 MiB, negative no limit. Blocks with the
	// fewest replicas come first. A block that has begun is finished.
	HealRate int64

	// BlockSize is the size in bytes of the blocks that become splits. 0 means 64 MiB, or 128 MiB
	// where maps fold values (cluster.Spec.Folds). The default is smaller for small inputs, so
	// that every slot has work, and at the end of large ones, so that all slots end at about the
	// same time.
	BlockSize int64

	// Scheduler is the name of a preset of package scheduling; empty means hfs with automatic
	// waits. ReducePlacement is any, cogrs or larts; empty means cogrs under hfs and any under the
	// others. Policy, if its Order is set, replaces both.
	Scheduler       string
	ReducePlacement string
	Policy          scheduling.Policy

	// Parts are policy parts from outside package scheduling, which Policy and its later
	// replacements may name. A State of a cluster with Parts must be opened with the same Parts.
	Parts scheduling.Parts

	// Rules, if not nil, decide into which pool or queue a job goes and who may submit there and
	// move jobs. Every Submit and SetPool is checked. Nil lets everybody do everything.
	Rules *access.Rules

	// HeartbeatInterval is the time between a node's heartbeats; 0 means Hadoop's rule: 300 ms,
	// more with more than 30 nodes. A node that is silent for Expiry is lost; 0 means 10 minutes.
	HeartbeatInterval time.Duration
	Expiry            time.Duration

	// MaxAttempts is how many attempts of a task may fail before its job fails; 0 means 4.
	MaxAttempts int

	// TaskTimeout is how long an attempt may make no progress. Progress is a record read, emitted
	// or written, bytes fetched or spilled, a change of a user's counter, or a call of
	// [mapreduce.Task.Progress]. After that the attempt is stopped through its context and counts
	// as a failure of its task. Time in which it is suspended or waits for others does not count. 0
	// means 10 minutes, as Hadoop's mapreduce.task.timeout; negative means no limit.
	// [Cluster.Close] waits about as long for an output that is being completed or removed.
	TaskTimeout time.Duration

	// Memory is the budget in bytes of all attempts, map outputs and datasets; 0 means no limit.
	// IdleMemory is how much of it is kept for reuse between attempts; 0 means a quarter of Memory,
	// or 256 MiB without a limit; negative means none.
	Memory     int64
	IdleMemory int64

	// SpillDir is the directory for sorted runs that exceed Memory; empty means [os.TempDir].
	SpillDir string

	// Network emulates links between the nodes; the zero value emulates none.
	Network NetworkConfig

	// Seed determines where blocks are placed and which replica is read.
	Seed uint64

	// Logger gets lost nodes, panics and failed attempts; nil discards them. mapreduce.Task.Logger
	// writes to it too; there nil means slog.Default. A panic in the Logger's handler, in Events or
	// in Calls harms neither cluster nor jobs. They must not end their goroutine (runtime.Goexit,
	// as t.Fatal does): the cluster would wait for it for ever.
	Logger *slog.Logger

	// Events, if not nil, is called for every event, in order, from one goroutine at a time. It
	// must not block and must not call the Cluster. If it panics, the panic is logged and the next
	// event is delivered nevertheless.
	Events func(Event)

	// Explain adds an event for each job that the scheduler skips, with the reason.
	Explain bool

	// Calls, if not nil, is called like Events, for each call of the scheduling.Core with its
	// answer. A [calls.Writer] writes a log that [scheduling.ReplayFrom] checks.
	Calls func(*calls.Call)

	// State, if not nil, records the jobs of the cluster, so that a later cluster can continue them
	// if this one is killed or closed before they end; see SubmitOptions.Key. With it a panic of
	// the scheduler fails no job, unless the same call panics three times. The caller closes the
	// State after the cluster.
	State *state.Dir

	taskLog *slog.Logger // what user code logs to; nil means the default logger

	// OwnSignals says that the program handles SIGINT and SIGTERM itself while Run runs a plan on
	// an external engine.
	OwnSignals bool

	// Chaos, if not nil, injects faults, to show that jobs survive them.
	Chaos *Chaos

	// fetch, in tests, is called for each fetch of a map output; returning errFetch makes the fetch
	// fail transiently.
	fetch func(reduce scheduling.AttemptID, m, try int32) error

	// deliver, in tests, returns the delays after which a message between actors arrives: several
	// for a duplicated message, none for a lost one.
	deliver func(msg any) []time.Duration

	// spillFile, in tests, creates the spill files of attempts.
	spillFile func() (cluster.SpillFile, error)
}

// These bound what one process can serve: 10,000 nodes take about 100 MiB and some seconds to start
// and stop.
const (
	maxNodes = 50_000
	maxSlots = 10_000 // of each kind, per node
)

// Validate returns all mistakes in the configuration, joined.
func (c Config) Validate() error {
	var faults []error
	refuse := func(ok bool, format string, args ...any) {
		if !ok {
			faults = append(faults, fmt.Errorf("actors: "+format, args...))
		}
	}
	refuse(c.Nodes >= 0, "%d nodes", c.Nodes)
	refuse(c.Racks >= 0, "%d racks", c.Racks)
	refuse(c.Racks <= max(c.Nodes, 1), "%d racks for %d nodes", c.Racks, max(c.Nodes, 1))
	refuse(c.Nodes <= maxNodes, "%d nodes, at most %d", c.Nodes, maxNodes)
	refuse(c.MapSlots >= 0, "%d map slots", c.MapSlots)
	refuse(c.ReduceSlots >= 0, "%d reduce slots", c.ReduceSlots)
	refuse(c.MapSlots <= maxSlots, "%d map slots, at most %d a node", c.MapSlots, maxSlots)
	refuse(c.ReduceSlots <= maxSlots, "%d reduce slots, at most %d a node", c.ReduceSlots, maxSlots)
	refuse(c.Parallelism >= 0, "parallelism %d", c.Parallelism)
	refuse(c.BlockSize >= 0, "block size %d", c.BlockSize)
	refuse(c.HeartbeatInterval >= 0, "heartbeat interval %v", c.HeartbeatInterval)
	refuse(c.Expiry >= 0, "expiry %v", c.Expiry)
	refuse(c.MaxAttempts >= 0 && c.MaxAttempts <= 255, "%d attempts", c.MaxAttempts)
	refuse(c.Memory >= 0, "memory of %d bytes", c.Memory)
	refuse(c.Replication >= 0, "replication %d", c.Replication)
	if c.Replication > max(c.Nodes, 1) {
		faults = append(faults, fmt.Errorf("%w: replication %d, %d nodes", dfs.ErrReplication, c.Replication, max(c.Nodes, 1)))
	}
	within := func(f float64) bool { return f == 0 || f >= 1 && f <= 1e15 }
	refuse(within(c.Network.NodeLink), "the emulated node link must have 1 to 1e15 bytes a second")
	refuse(within(c.Network.Oversubscription), "the over-subscription of the emulated network must be 1 or more")
	if len(faults) == 0 {
		full := c.withDefaults()
		refuse(full.Expiry > 2*full.HeartbeatInterval, "expiry %v is not longer than two heartbeat intervals of %v",
			full.Expiry, full.HeartbeatInterval)
	}
	if _, err := c.policy(); err != nil {
		faults = append(faults, err)
	}
	return errors.Join(faults...)
}

// withDefaults replaces zero fields by their defaults.
func (c Config) withDefaults() Config {
	c.Nodes = cmp.Or(c.Nodes, 1)
	c.Racks = cmp.Or(c.Racks, 1)
	c.MapSlots = cmp.Or(c.MapSlots, runtime.GOMAXPROCS(0))
	c.ReduceSlots = cmp.Or(c.ReduceSlots, runtime.GOMAXPROCS(0))
	c.Replication = cmp.Or(c.Replication, min(3, c.Nodes))
	c.HealRate = cmp.Or(c.HealRate, 64<<20)
	c.HeartbeatInterval = cmp.Or(c.HeartbeatInterval, scheduling.HeartbeatInterval(c.Nodes))
	c.Expiry = cmp.Or(c.Expiry, 10*time.Minute)
	c.MaxAttempts = cmp.Or(c.MaxAttempts, 4)
	c.TaskTimeout = cmp.Or(c.TaskTimeout, 10*time.Minute)
	if c.IdleMemory == 0 {
		c.IdleMemory = cmp.Or(c.Memory/4, 256<<20)
	}
	if c.Logger != nil {
		c.taskLog = guardLog(c.Logger)
	}
	c.Logger = guardLog(c.Logger)
	return c
}

// attemptMemory is the minimum that an attempt needs: for a run to sort, blocks to write and an
// encoder.
const attemptMemory = 8 << 20

// computing returns how many attempts may compute at once; 0 means as many as there are slots.
func (c Config) computing() int {
	if c.Memory > 0 {
		most := int(max(2, min(c.Memory/attemptMemory, 1<<20)))
		if c.Parallelism > most || c.Parallelism == 0 && c.Nodes*(c.MapSlots+c.ReduceSlots) > most {
			return most
		}
	}
	return c.Parallelism
}

// policy returns the policy that Policy, or Scheduler and ReducePlacement, name.
func (c Config) policy() (scheduling.Policy, error) {
	if c.Policy.Order != "" {
		return c.Policy, nil
	}
	p, err := scheduling.Preset(cmp.Or(c.Scheduler, "hfs"))
	if err != nil {
		return p, err
	}
	if c.Scheduler == "" {
		p.Locality.Auto = true
	}
	rule, known := map[string]scheduling.ReduceRule{
		"": scheduling.DefaultReduceRule(p.Name), "cogrs": scheduling.CoGRS, "larts": scheduling.LARTS, "any": scheduling.AnyNode,
	}[c.ReducePlacement]
	if !known {
		err = fmt.Errorf("actors: unknown reduce placement %q: want any, cogrs or larts", c.ReducePlacement)
	}
	p.Reduce.Rule = rule
	return p, err
}

// SubmitOptions are the options of one job.
type SubmitOptions struct {
	User     string   // empty means anonymous; with Config.Rules it must be authenticated
	Groups   []string // the user's groups, for Config.Rules
	Queue    string   // a leaf queue of the capacity order; empty means default
	Priority scheduling.Priority

	// Pool is a pool of the pools order. If Policy.Pools lists any pools, it must be one of them.
	// Empty leaves the choice to the policy.
	Pool string

	// Key identifies the job in Config.State, so that a later cluster can continue it: submit the
	// same job under the same key. Tasks whose part is in the output do not run again; for that the
	// output must be [mapreduce.Destination.Resumable] with the State's Token of the key. A job
	// with an empty Key ends with the cluster.
	Key string

	// Reduces is the number of reduces if the job does not set it. 0 means one per 64 MiB of input,
	// rounded to a power of two, at most 64. The default depends on the input and not on the
	// cluster, so that the same input gives the same parts everywhere.
	Reduces int

	// SlowStart is the fraction of maps that must be done before reduces launch; 0 leaves it to the
	// policy.
	SlowStart float64

	// MaxAttempts, if above 0, replaces Config.MaxAttempts for this job.
	MaxAttempts int

	// MaxSkips is the maximum number of records that the job may skip because the user's map
	// returns an error or panics on them; 0 means none. Skipping a record drops everything that the
	// map emitted for it. Maps skip from the second attempt on, or in the first if there is no
	// other or the input can be read only once. Result.Skipped lists the skipped records, and so
	// does _skipped.jsonl beside the parts of a directory. With one more the job fails.
	//
	// A record on which the map hangs until the task timeout, or ends its goroutine, fails an
	// attempt, and the next attempt skips it; if the map ignores its context too, it fails two
	// attempts. A map with N attempts can therefore skip at most N-1 or N-2 such records. Records
	// on which a reduce fails are never skipped. Inputs of Chunks are rejected.
	MaxSkips int

	// MapTime and ReduceTime are the known durations of one task, for policies that use them.
	MapTime    time.Duration
	ReduceTime time.Duration

	// NoSuspend forbids to suspend the job's attempts, for example because they talk to an outside
	// system.
	NoSuspend bool
}
