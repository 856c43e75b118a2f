package scheduling

import "github.com/tarry-mr/tarry/scheduling/internal/engine"

// Node is a machine that joins the cluster.
type Node = engine.Node

// Places says where the input of each map lies, flattened: map i has its replicas on
// Nodes[Offsets[i]:Offsets[i+1]]. The zero value gives no map a location. Use Core.NodeID for the
// numbers, also of nodes that have not joined yet. The Core keeps the slices and does not change
// them.
type Places = engine.Places

// JobSpec describes a job at its submission.
type JobSpec = engine.JobSpec

// JobState is where a job is in its life.
type JobState = engine.JobState

// The states of a job. Only JobRunning launches tasks.
const (
	JobWaiting   = engine.JobWaiting // held back by a limit on jobs, or not initialized
	JobRunning   = engine.JobRunning
	JobSucceeded = engine.JobSucceeded
	JobFailed    = engine.JobFailed
	JobKilled    = engine.JobKilled
)

// Heartbeat is a node's message to the JobTracker.
type Heartbeat = engine.Heartbeat

// Status is a node's report on one attempt.
type Status = engine.Status

// AttemptState is what a node reports of an attempt.
type AttemptState = engine.AttemptState

// The states a node may report.
const (
	StateRunning = engine.StateRunning
	// its output is committed (reduce) or ready to be fetched (map)
	StateSucceeded = engine.StateSucceeded
	StateFailed    = engine.StateFailed
	StateKilled    = engine.StateKilled // stopped by the Core, or of itself without being to blame
	StateSuspended = engine.StateSuspended
)

// LostOutput names a map output that a reduce could not have: that of attempt Try of map Map of
// the same job. The map runs again unless another attempt has replaced that output already.
type LostOutput = engine.LostOutput

// Answer answers a heartbeat.
type Answer = engine.Answer

// Action asks a node to do something with an attempt. Actions are idempotent: launching an attempt
// that runs, or killing one that is gone, does nothing.
type Action = engine.Action

// Verb is what an action asks of a node.
type Verb = engine.Verb

// The actions there are.
const (
	Launch  = engine.Launch
	Kill    = engine.Kill
	Suspend = engine.Suspend
	Resume  = engine.Resume
)

// Facts are what a Core knows that outlives all nodes: whoever restores them in a fresh Core and
// resumes the jobs goes on where the former one was, but for what ran and for what the policy had
// learned and waited. They are plain data, to be kept as JSON.
type Facts = engine.Facts

// JobFacts are those of a job that has not ended.
type JobFacts = engine.JobFacts

// TaskFacts are those of a task that was launched.
type TaskFacts = engine.TaskFacts

// NodeFacts are those of a node that joined at some time.
type NodeFacts = engine.NodeFacts
