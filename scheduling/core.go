package scheduling

import (
	"io"
	"time"

	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/engine"
)

// Config holds the settings that are not part of a policy. The zero value is usable.
type Config = core.Config

// Fork launches a task where it would have waited for a better slot. Comparing the run with one
// without Fork shows what the wait was worth.
type Fork = core.Fork

// View answers questions about the current state of a Core and changes nothing. The caller owns
// what a View returns unless the method says otherwise. A View is not safe for concurrent use.
type View = core.View

// Core is the JobTracker's state machine. Its methods take the time since the cluster's start,
// which must never decrease. It is not safe for concurrent use.
type Core struct{ c *core.Core }

// NewCore returns a Core with policy p. Errors wrap ErrBadConfig or ErrUnknownPolicy and name every
// mistake found.
func NewCore(cfg Config, p Policy) (*Core, error) {
	c, err := engine.NewCore(cfg, p)
	if err != nil {
		return nil, err
	}
	return &Core{c}, nil
}

// View returns a View of the current state of c.
func (c *Core) View() View { return c.c.View() }

// Replay reads calls written by a calls.Writer and applies them to c, which must be fresh and have
// the recorded configuration. The error names the first call whose answer differs.
func (c *Core) Replay(r io.Reader) error { return engine.ReplayFrom(c.c, r) }

// HeartbeatInterval returns Hadoop's heartbeat interval: 1 s per 100 nodes, at least 300 ms.
func HeartbeatInterval(nodes int) time.Duration { return core.HeartbeatInterval(nodes) }

// Restore loads the state of a former Core into a fresh one. No node is live until it joins, and no
// job runs until Resume. Errors wrap ErrBadConfig.
func (c *Core) Restore(f DurableState) error { return c.c.Restore(f) }

// Resume adds a job of a former Core. id is its number in the restored state; 0 adds a job that the
// state does not have. s is as for Submit, but the state's priority and pool or queue replace those
// of s if they are still valid. kept lists the tasks whose output still exists, ascending: reduces,
// or maps of a job without reduces. These are done; the other tasks keep their counts of attempts
// and failures. A job whose tasks are all done succeeds at once. Errors are those of Submit, or
// wrap ErrUnknownJob.
func (c *Core) Resume(now time.Duration, id JobID, s JobSpec, kept []int32) (JobID, error) {
	return c.c.Resume(now, id, s, kept)
}

// Heartbeat takes a node's report and returns actions: first the pending kills, then what the
// policy starts in the node's free slots. A node that the Core does not know, or has declared lost,
// is asked to register.
func (c *Core) Heartbeat(now time.Duration, h Heartbeat) (Answer, error) {
	return c.c.Heartbeat(now, h)
}

// MapOutput sets the sizes of a done map's output, one per reduce, if its Status did not contain
// them. Missing sizes count as 0. Sizes for a job that has ended are ignored.
func (c *Core) MapOutput(now time.Duration, id TaskID, bytes []int64) error {
	return c.c.MapOutput(now, id, bytes)
}

// MayCommit reports whether an attempt may commit its output. The first live attempt of a task that
// asks may, and gets the same answer every time. Others may only after that attempt has ended
// without success. The answer is valid until the next call that changes the Core.
func (c *Core) MayCommit(id AttemptID) bool { return c.c.MayCommit(id) }

// NodeID returns the number of the named node; it reserves one for a node that has not joined.
func (c *Core) NodeID(name string) NodeID { return c.c.NodeID(name) }

// Join adds a node or brings one back. With another Incarnation, or after the node was lost, its
// former attempts and outputs are lost. Joining with the same Incarnation changes only the slots.
func (c *Core) Join(now time.Duration, spec Node) (NodeID, error) { return c.c.Join(now, spec) }

// Cordon stops new tasks on a node (true) or allows them (false). Running tasks continue, and
// suspended tasks resume there as slots become free.
func (c *Core) Cordon(now time.Duration, id NodeID, cordoned bool) error {
	return c.c.Cordon(now, id, cordoned)
}

// Leave removes a node. Other nodes rerun its attempts and the maps whose outputs are still needed;
// these reruns do not count as failures.
func (c *Core) Leave(now time.Duration, id NodeID) error { return c.c.Leave(now, id) }

// Expire removes the nodes that have been silent for Config.Expiry and returns them in ascending
// order. Before the time NextExpiry it returns at once.
func (c *Core) Expire(now time.Duration) ([]NodeID, error) { return c.c.Expire(now) }

// Preempt runs one preemption round now and returns the killed attempts: maps, then reduces, newest
// first. Their tasks are pending at once; their nodes get the kills with their next heartbeats.
// Policies that do not kill return none. The Core owns the slice until the next call.
func (c *Core) Preempt(now time.Duration) ([]AttemptID, error) { return c.c.Preempt(now) }

// Submit adds a job. A job without tasks succeeds at once. Errors wrap ErrBadJob, ErrUnknownPool or
// ErrUnknownQueue.
func (c *Core) Submit(now time.Duration, s JobSpec) (JobID, error) { return c.c.Submit(now, s) }

// Kill ends a job; its attempts are killed with their nodes' next heartbeats. Killing a job that
// has ended is an error.
func (c *Core) Kill(now time.Duration, id JobID) error { return c.c.Kill(now, id) }

// SetPriority changes a job's priority, and so its position in the order, at once.
func (c *Core) SetPriority(now time.Duration, id JobID, p Priority) error {
	return c.c.SetPriority(now, id, p)
}

// SetPool moves a job to another pool (order "pools") or queue (order "capacity"). With other
// orders it returns an error.
func (c *Core) SetPool(now time.Duration, id JobID, name string) error {
	return c.c.SetPool(now, id, name)
}

// Reconfigure replaces the policy; on error the former policy stays. Running attempts, waits and
// jobs are kept; a job whose pool or queue no longer exists is an error.
func (c *Core) Reconfigure(now time.Duration, p Policy) error { return c.c.Reconfigure(now, p) }

// Update performs the periodic work: it updates shares and preemption clocks, runs a preemption
// round when one is due, and looks for slow tasks. Call it about every 500 ms. The interval affects
// preemption and speculation only, not which other task a heartbeat gets.
func (c *Core) Update(now time.Duration) error { return c.c.Update(now) }

// Due returns the nodes that should be asked for a heartbeat now, for a driver without regular
// heartbeats. `called` has the nodes for which an action or a reduce waits, the longest wait first.
// `open` has, ascending, the nodes with a free or reclaimable slot, if work has come since their
// last heartbeat. That is a job, reduces that may start, or a task that must rerun. Each such
// change lists a node once; a node may be in both lists. The Core owns the slices until the next
// call of any method.
func (c *Core) Due() (called, open []NodeID) { return c.c.Due() }
