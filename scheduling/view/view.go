// Package view is what a scheduling.View answers: snapshots of jobs, nodes, pools and queues.
package view

import "github.com/tarry-mr/tarry/scheduling/internal/core"

// Attempt is a snapshot of a live attempt.
type Attempt = core.AttemptView

// Job is a snapshot of a job.
type Job = core.JobView

// Kind is one kind of a job's tasks, or of all tasks of a pool.
type Kind = core.KindView

// Locality is how a job stands with the locality rule.
type Locality = core.LocalityView

// Node is a snapshot of a node.
type Node = core.NodeView

// Pool is a snapshot of a pool.
type Pool = core.PoolView

// Queue is a snapshot of a queue of the capacity scheduler.
type Queue = core.QueueView

// Skip says that a job with a task to launch was passed over when a slot was offered, and why.
// Until is when the reason ends by itself, 0 if it does not.
type Skip = core.Skip

// Virtual is a job's place in the virtual cluster of hfsp, for one kind of its tasks.
type Virtual = core.VirtualView
