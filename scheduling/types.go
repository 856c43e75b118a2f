package scheduling

import (
	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// Node describes a machine that joins the cluster.
type Node = model.Node

// Places holds the locations of each map's input: map i has its replicas on the nodes
// Nodes[Offsets[i]:Offsets[i+1]]. With the zero value no map has a location. Core.NodeID returns
// the numbers, also of nodes that have not joined yet. The Core keeps the slices and does not
// change them.
type Places = model.Places

// JobSpec describes a job for Submit.
type JobSpec = model.JobSpec

// JobState is the state of a job.
type JobState = model.JobState

// The states of a job. Only JobRunning launches tasks.
const (
	JobWaiting   = model.JobWaiting // held back by a limit on running jobs, or not initialized
	JobRunning   = model.JobRunning
	JobSucceeded = model.JobSucceeded
	JobFailed    = model.JobFailed
	JobKilled    = model.JobKilled
)

// Heartbeat is a node's report to the JobTracker.
type Heartbeat = model.Heartbeat

// Status is a node's report on one attempt.
type Status = model.Status

// AttemptState is the state of an attempt as its node reports it.
type AttemptState = model.AttemptState

// The states that a node may report.
const (
	StateRunning = model.StateRunning
	// its output is committed (reduce) or ready to be fetched (map)
	StateSucceeded = model.StateSucceeded
	StateFailed    = model.StateFailed
	StateKilled    = model.StateKilled // stopped by the Core, or ended without an error of the task
	StateSuspended = model.StateSuspended
)

// LostOutput names a map output that a reduce could not fetch, by the map and the attempt Try that
// wrote it. The map reruns unless another attempt has already replaced the output.
type LostOutput = model.LostOutput

// Answer is the answer to a heartbeat.
type Answer = model.Answer

// Action asks a node to change an attempt. Actions are idempotent: launching a running attempt, or
// killing one that has ended, does nothing.
type Action = model.Action

// Verb is the kind of an action.
type Verb = model.Verb

// The kinds of actions.
const (
	Launch  = model.Launch
	Kill    = model.Kill
	Suspend = model.Suspend
	Resume  = model.Resume
)

// DurableState is the part of a Core's state that survives the loss of all nodes, to store as JSON.
// Restoring it in a fresh Core and resuming the jobs continues the former run. Running attempts and
// what the policy had learned are lost, and waits begin at 0.
type DurableState = core.DurableState

// DurableJob is the durable state of a job that has not ended.
type DurableJob = core.DurableJob

// DurableTask is the durable state of a launched task.
type DurableTask = core.DurableTask

// DurableNode is the durable state of a joined node.
type DurableNode = core.DurableNode
