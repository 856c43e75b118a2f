package actors

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"time"

	"github.com/tarry-mr/tarry/dfs"
	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/allocation"
	"github.com/tarry-mr/tarry/scheduling/calls"
)

// Config describes a cluster. The zero value is one node with a map slot and a reduce
// slot a core, and the default scheduler.
type Config struct {
	// Nodes in all, at most 50,000, spread round robin over Racks; 0 means 1. They are named
	// node-00, node-01, … and the racks rack-0, rack-1, ….
	Nodes int
	Racks int

	// MapSlots and ReduceSlots of each node, at most 10,000; 0 means one a core.
	MapSlots    int
	ReduceSlots int

	// Parallelism is how many attempts compute at once in this process, whatever the
	// number of slots; 0 means as many as there are slots. Set it to the number of cores
	// where many emulated nodes run work that computes: attempts beyond it hold their
	// slot but wait. With a Memory it is at most one for each 8 MiB of it, but two, for
	// less than that no attempt can work with.
	Parallelism int

	// Replication of blocks; 0 means min(3, Nodes).
	Replication int

	// HealRate is how many bytes of lost replicas a node makes again in a second, as Hadoop's
	// dfs.balance.bandwidthPerSec; 0 means 64 MiB, negative no limit. Blocks with the fewest
	// replicas come first. The block at hand is finished.
	HealRate int64

	// BlockSize in bytes at which inputs are cut into splits; 0 means 64 MiB, 128 MiB where
	// maps fold values (mapreduce.Plan.Folds), less for small inputs so that every slot has work, and at the end of
	// large ones so that all slots end at about the same time.
	BlockSize int64

	// Scheduler is the name of a preset of package scheduling; empty means hfs, with
	// automatic waits. ReducePlacement is any, cogrs or larts; empty means cogrs under hfs, any
	// under the others.
	// Policy, if its Order is set, takes the place of both.
	Scheduler       string
	ReducePlacement string
	Policy          scheduling.Policy

	// Parts are parts of policies from outside package scheduling, for Policy and those that take
	// its place later to name. A State that a cluster with Parts keeps is opened with them.
	Parts scheduling.Parts

	// Rules, if not nil, say into which pool or queue a job goes and who may submit there
	// and move jobs; every Submit and SetPool is checked. Nil lets everybody do everything.
	Rules *allocation.Rules

	// HeartbeatInterval of the nodes; 0 means Hadoop's rule: 300 ms, more with more than
	// 30 nodes. Expiry is how long a node may be silent; 0 means 10 minutes.
	HeartbeatInterval time.Duration
	Expiry            time.Duration

	// MaxAttempts is how often a task may fail before its job does; 0 means 4.
	MaxAttempts int

	// TaskTimeout is how long an attempt may go on without progress: without a record read,
	// emitted or written, bytes fetched or spilled, a user's counter changed, or a call of
	// [mapreduce.Task.Progress]. Then it is stopped through its context and counts as a failure of
	// its task. Attempts that are suspended or wait for others may take any time. 0 means 10
	// minutes, as Hadoop's mapreduce.task.timeout; negative means no limit. [Cluster.Close] waits
	// about as long for an output that is being completed or removed.
	TaskTimeout time.Duration

	// Memory is the budget of all attempts, map outputs and datasets in bytes; 0 means no limit.
	// IdleMemory is how much of it is kept for reuse between attempts; 0 means a quarter
	// of Memory, or 256 MiB without a limit; negative means none.
	Memory     int64
	IdleMemory int64

	// SpillDir is where sorted runs go that do not fit; empty means [os.TempDir].
	SpillDir string

	// Network emulates links between the nodes; the zero value does not.
	Network NetworkConfig

	// Seed places blocks, and chooses among replicas to read.
	Seed uint64

	// History is how many ended jobs Cluster.Jobs remembers; 0 means 100, negative none.
	History int

	// Logger hears of lost nodes, panics and failed attempts; nil discards. It is also where
	// mapreduce.Task.Logger writes to; nil stands for slog.Default there. A panic of it, or of
	// Events or Calls below, harms neither cluster nor jobs. They must not end their goroutine
	// (runtime.Goexit, as t.Fatal does): the cluster would wait for it for ever.
	Logger *slog.Logger

	// Events, if not nil, is called for everything that happens, in order, from one
	// goroutine at a time. It must not block and must not call the Cluster. If it panics that is
	// logged, and the next event is told all the same.
	Events func(Event)

	// Explain adds an event for each skip: why a job was passed over.
	Explain bool

	// Calls, if not nil, is called for each call of the scheduling.Core with its answer,
	// like Events. A [calls.Writer] writes a log that
	// [scheduling.ReplayFrom] checks.
	Calls func(*calls.Call)

	// State, if not nil, remembers what the cluster does, so that another cluster goes on with the
	// jobs of this one when its process was killed or the cluster closed before they ended; see
	// SubmitOptions.Key. With it a panic of the scheduler fails no job, unless the same call panics
	// three times. The caller closes it after the cluster.
	State *State

	// selector, in tests, is the scheduler's.
	selector scheduling.TaskSelector
	taskLog  *slog.Logger // what user code logs to; nil: the default logger

	// Chaos, if not nil, disturbs the cluster, to show that its work is done all the same.
	Chaos *Chaos

	// fetch, in tests, is asked for each fetch of a map output; errFetch is a transient fault.
	fetch func(reduce scheduling.AttemptID, m, try int32) error

	// deliver, in tests, says after how long a message of one actor to another arrives: several
	// times if there are several, never if there are none.
	deliver func(msg any) []time.Duration

	// spillFile, in tests, makes the files that attempts spill to.
	spillFile func() (cluster.SpillFile, error)
}

// What one process can serve: 10,000 nodes take about 100 MiB and some seconds to start and stop.
const (
	mostNodes = 50_000
	mostSlots = 10_000 // of a kind, of one node
)

// Validate returns everything that is wrong with the configuration, joined.
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
	refuse(c.Nodes <= mostNodes, "%d nodes, at most %d", c.Nodes, mostNodes)
	refuse(c.MapSlots >= 0, "%d map slots", c.MapSlots)
	refuse(c.ReduceSlots >= 0, "%d reduce slots", c.ReduceSlots)
	refuse(c.MapSlots <= mostSlots, "%d map slots, at most %d a node", c.MapSlots, mostSlots)
	refuse(c.ReduceSlots <= mostSlots, "%d reduce slots, at most %d a node", c.ReduceSlots, mostSlots)
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
	faults = append(faults, c.Network.faults()...)
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

// withDefaults fills in what was left zero.
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
	c.History = cmp.Or(c.History, 100)
	if c.IdleMemory == 0 {
		c.IdleMemory = cmp.Or(c.Memory/4, 256<<20)
	}
	if c.Logger != nil {
		c.taskLog = guardLog(c.Logger)
	}
	c.Logger = guardLog(c.Logger)
	return c
}

// attemptMemory is what an attempt needs at least: a run to sort, blocks to write, an
// encoder.
const attemptMemory = 8 << 20

// computing is how many attempts compute at once; 0 means as many as there are slots.
func (c Config) computing() int {
	n := c.Parallelism
	if c.Memory <= 0 {
		return n
	}
	most := int(max(2, min(c.Memory/attemptMemory, 1<<20)))
	if n == 0 && c.Nodes*(c.MapSlots+c.ReduceSlots) <= most {
		return 0
	}
	if n == 0 {
		return most
	}
	return min(n, most)
}

// policy puts the scheduler together.
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
	switch c.ReducePlacement {
	case "":
		p.Reduce.Rule = scheduling.DefaultReduceRule(p.Name)
	case "cogrs":
		p.Reduce.Rule = scheduling.CoGRS
	case "larts":
		p.Reduce.Rule = scheduling.LARTS
	case "any":
		p.Reduce.Rule = scheduling.AnyNode
	default:
		err = fmt.Errorf("actors: unknown reduce placement %q: want any, cogrs or larts", c.ReducePlacement)
	}
	return p, err
}

// SubmitOptions are a user's choices for one job.
type SubmitOptions struct {
	User     string   // empty means anonymous; with Config.Rules it must be authenticated
	Groups   []string // of the user, for Config.Rules
	Queue    string   // of the capacity order, a leaf; empty means default
	Priority scheduling.Priority

	// Pool is one of the pools order, which Policy.Pools lists if it lists any; empty leaves it to
	// the policy.
	Pool string

	// Key names the job among those of Config.State, for other clusters to go on with it: the
	// submission of the same job under the same key goes on where the former one was. Tasks whose
	// part is in the output are not done again; for that the output must be
	// [mapreduce.Destination.Resumable] with State.Token of the key. Empty: the job goes with the
	// cluster.
	Key string

	// Reduces is the number of reduces if the job does not say; 0 means one for each
	// 64 MiB of input, made a power of two, at most 64: it depends on the input and not
	// on the cluster, so that the same input gives the same parts everywhere.
	Reduces int

	// SlowStart is the share of the maps to be done before reduces launch; 0 leaves it to
	// the policy.
	SlowStart float64

	// MaxAttempts per task; 0 means the cluster's.
	MaxAttempts int

	// MaxSkips is how many records, on which the user's map returns an error or panics, the job may
	// leave out, with all that it emitted for them: the attempts at a map after the first leave
	// them out, or the first if there is no other or the input may be read only once. They are in
	// Result.Skipped, and beside the parts of a directory as _skipped.jsonl. With one more the job
	// fails. 0 means none. A record on which the map hangs until the task timeout, or ends its
	// goroutine, fails an attempt, and the next one leaves it out; where the map does not heed its
	// context either, two attempts. So of these a map can have as many as it has attempts, less one
	// or two. What a reduce fails on is never left out. Inputs of Chunks are refused.
	MaxSkips int

	// MapTime and ReduceTime are known durations of one task, for policies that use them.
	MapTime    time.Duration
	ReduceTime time.Duration

	// NoSuspend says that the job's attempts must not be suspended, because they talk to
	// an outside system.
	NoSuspend bool
}

// reduces is the number for a plan that leaves it open.
func (o SubmitOptions) reduces(p *mapreduce.Plan) int {
	if o.Reduces > 0 {
		return o.Reduces
	}
	return p.UsualReduces()
}
