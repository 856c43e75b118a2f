package scheduling

import (
	"io"
	"time"

	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/engine"
)

// Config sets what is not policy. The zero value is usable.
type Config = core.Config

// View answers questions about a Core as it stands at the time of the question. No question changes
// what a later call answers. What it returns belongs to the caller unless it says otherwise. Like
// the Core it is not safe for concurrent use.
type View = core.View

// Core is the JobTracker's state machine. Its methods take the time since the cluster's start,
// which never decreases. It is not safe for concurrent use.
type Core struct{ c *core.Core }

// NewCore makes a Core with policy p. The error, if any, wraps ErrBadConfig or ErrUnknownPolicy and
// names every fault.
func NewCore(cfg Config, p Policy) (*Core, error) {
	c, err := engine.NewCore(cfg, p)
	if err != nil {
		return nil, err
	}
	return &Core{c}, nil
}

// View gives access to the questions.
func (c *Core) View() View { return c.c.View() }

// Replay reads calls that a calls.Writer wrote and applies them to c, which must be fresh and
// configured as the recorded one was. The error names the first call whose answer differs.
func (c *Core) Replay(r io.Reader) error { return core.ReplayFrom(c.c, r) }

// HeartbeatInterval is Hadoop's rule: 1 s for each 100 nodes, at least 300 ms.
func HeartbeatInterval(nodes int) time.Duration { return core.HeartbeatInterval(nodes) }

// Restore puts facts into a fresh Core. No node is live until it joins, and of the jobs only their
// numbers are given: each goes on from its Resume. Errors wrap ErrBadConfig.
func (c *Core) Restore(f Facts) error { return c.c.Restore(f) }

// Resume takes in a job that a former Core had: id is one of the restored facts, or 0 for a job of
// which they say nothing. s is as for Submit; priority and pool or queue are those of the facts, if
// they can be. kept are the tasks whose output is there still, ascending: reduces, or maps of a job
// without reduces. They are done. The others keep their numbers of attempts and failures. A
// job whose tasks are all done succeeds at once. Errors are as of Submit, or wrap ErrUnknownJob.
func (c *Core) Resume(now time.Duration, id JobID, s JobSpec, kept []int32) (JobID, error) {
	return c.c.Resume(now, id, s, kept)
}

// Heartbeat takes a node's report and answers with actions: first kills that were due, then what
// the policy gives the node's free slots. A node that the Core does not know, or has given up, is
// told to register again.
func (c *Core) Heartbeat(now time.Duration, h Heartbeat) (Answer, error) {
	return c.c.Heartbeat(now, h)
}

// MapOutput tells, or corrects, the sizes of a done map's output, one per reduce, where they did
// not come with its status. Fewer numbers than reduces leave the others at 0. Of a job that has
// ended nothing is kept.
func (c *Core) MapOutput(now time.Duration, id TaskID, bytes []int64) error {
	return c.c.MapOutput(now, id, bytes)
}

// MayCommit tells whether an attempt may make its output the task's. Of the live attempts of a task
// the first to ask may, and again if it asks again; the others may not unless it ends without
// having succeeded. The answer stands until the next call that changes the Core.
func (c *Core) MayCommit(id AttemptID) bool { return c.c.MayCommit(id) }

// NodeID gives the number of the node of that name, and reserves one for a node that has not
// joined.
func (c *Core) NodeID(name string) NodeID { return c.c.NodeID(name) }

// Join adds a node, or brings one back: with another Incarnation, or after it was lost, what it ran
// and held is gone. Joining again with the same incarnation changes nothing but the slots.
func (c *Core) Join(now time.Duration, spec Node) (NodeID, error) { return c.c.Join(now, spec) }

// Cordon keeps new tasks from a node (true), or lets them in again; running ones go on, and
// suspended ones resume there as slots become free.
func (c *Core) Cordon(now time.Duration, id NodeID, cordoned bool) error {
	return c.c.Cordon(now, id, cordoned)
}

// Leave takes a node out: its attempts and the map outputs that are still needed run again, without
// counting as failures.
func (c *Core) Leave(now time.Duration, id NodeID) error { return c.c.Leave(now, id) }

// Expire takes out the nodes that have been silent for Config.Expiry and returns them, lowest
// first. It costs nothing before NextExpiry.
func (c *Core) Expire(now time.Duration) ([]NodeID, error) { return c.c.Expire(now) }

// Preempt runs one preemption round now and returns the attempts killed: maps, then reduces, newest
// first. They are pending again at once; their nodes are told at their next heartbeats. Policies
// that do not kill return none. The Core owns the slice until the next call.
func (c *Core) Preempt(now time.Duration) ([]AttemptID, error) { return c.c.Preempt(now) }

// Submit takes a job in. A job without any task has succeeded at once. Errors wrap ErrBadJob,
// ErrUnknownPool or ErrUnknownQueue.
func (c *Core) Submit(now time.Duration, s JobSpec) (JobID, error) { return c.c.Submit(now, s) }

// Kill ends a job; its attempts are killed at their nodes' next heartbeats. A job that has ended is
// an error.
func (c *Core) Kill(now time.Duration, id JobID) error { return c.c.Kill(now, id) }

// SetPriority changes a job's priority; the order follows at once.
func (c *Core) SetPriority(now time.Duration, id JobID, p Priority) error {
	return c.c.SetPriority(now, id, p)
}

// SetPool moves a job to another pool (order "pools") or queue (order "capacity"). Other orders
// have neither and refuse.
func (c *Core) SetPool(now time.Duration, id JobID, name string) error {
	return c.c.SetPool(now, id, name)
}

// Reconfigure replaces the policy, all or nothing: on error the former one stays. Running attempts,
// waits and jobs are kept; a job whose pool or queue no longer exists is an error.
func (c *Core) Reconfigure(now time.Duration, p Policy) error { return c.c.Reconfigure(now, p) }

// Update is the periodic step: shares, preemption clocks, where the policy preempts, a round when it
// is due, and where it speculates, the search for slow tasks. Call it every 500 ms or so; how often
// does not change which task a heartbeat gets, except through preemption and speculation.
func (c *Core) Update(now time.Duration) error { return c.c.Update(now) }

// Due names the nodes that should be asked for a heartbeat now, those first that an action
// or a reduce waits for, in the order in which they came to be waited for; then, lowest
// first, those with a slot, free or to be taken back, for work that has come since their last
// heartbeat: a job, reduces that may start, a task that is to run again. A node is named once
// for each such event, and may be in both lists. A driver whose nodes send heartbeats at regular
// times alone need not ask. The Core owns the slices until the next call of any method.
func (c *Core) Due() (called, open []NodeID) { return c.c.Due() }
