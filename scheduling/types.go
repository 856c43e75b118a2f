package scheduling

import "github.com/tarry-mr/tarry/scheduling/internal/core"

// Node is a machine that joins the cluster.
type Node = core.Node

// Places says where the input of each map lies, flattened: map i has its replicas on
// Nodes[Offsets[i]:Offsets[i+1]]. The zero value gives no map a location. Use Core.NodeID for the
// numbers, also of nodes that have not joined yet. The Core keeps the slices and does not change
// them.
type Places = core.Places

// JobSpec describes a job at its submission.
type JobSpec = core.JobSpec

// JobState is where a job is in its life.
type JobState = core.JobState

// The states of a job. Only JobRunning launches tasks.
const (
	JobWaiting   = core.JobWaiting // held back by a limit on jobs, or not initialized
	JobRunning   = core.JobRunning
	JobSucceeded = core.JobSucceeded
	JobFailed    = core.JobFailed
	JobKilled    = core.JobKilled
)

// Heartbeat is a node's message to the JobTracker.
type Heartbeat = core.Heartbeat

// Status is a node's report on one attempt.
type Status = core.Status

// AttemptState is what a node reports of an attempt.
type AttemptState = core.AttemptState

// The states a node may report.
const (
	StateRunning = core.StateRunning
	// its output is committed (reduce) or ready to be fetched (map)
	StateSucceeded = core.StateSucceeded
	StateFailed    = core.StateFailed
	StateKilled    = core.StateKilled // stopped by the Core, or of itself without being to blame
	StateSuspended = core.StateSuspended
)

// LostOutput names a map output that a reduce could not have: that of attempt Try of map Map of
// the same job. The map runs again unless another attempt has replaced that output already.
type LostOutput = core.LostOutput

// Answer answers a heartbeat.
type Answer = core.Answer

// Action asks a node to do something with an attempt. Actions are idempotent: launching an attempt
// that runs, or killing one that is gone, does nothing.
type Action = core.Action

// Verb is what an action asks of a node.
type Verb = core.Verb

// The actions there are.
const (
	Launch  = core.Launch
	Kill    = core.Kill
	Suspend = core.Suspend
	Resume  = core.Resume
)

// Facts are what a Core knows that outlives all nodes: whoever restores them in a fresh Core and
// resumes the jobs goes on where the former one was, but for what ran and for what the policy had
// learned and waited. They are plain data, to be kept as JSON.
type Facts = core.Facts

// JobFacts are those of a job that has not ended.
type JobFacts = core.JobFacts

// TaskFacts are those of a task that was launched.
type TaskFacts = core.TaskFacts

// NodeFacts are those of a node that joined at some time.
type NodeFacts = core.NodeFacts
