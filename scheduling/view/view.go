// Package view has the snapshots of jobs, nodes, pools and queues that a scheduling.View returns.
package view

import "github.com/tarry-mr/tarry/scheduling/internal/core"

// Attempt is a snapshot of a live attempt.
type Attempt = core.AttemptView

// Job is a snapshot of a job.
type Job = core.JobView

// Kind holds the numbers of one kind of a job's tasks, or of all tasks of a pool.
type Kind = core.KindView

// Locality is the state of a job in the locality rule.
type Locality = core.LocalityView

// Node is a snapshot of a node.
type Node = core.NodeView

// Pool is a snapshot of a pool.
type Pool = core.PoolView

// Queue is a snapshot of a queue of the capacity scheduler.
type Queue = core.QueueView

// Skip records why a job with a task to launch was passed over when a slot was offered. Until is
// the time when the reason ends by itself, 0 if it does not.
type Skip = core.Skip

// Virtual is a job's place in the virtual cluster of hfsp, for one kind of its tasks.
type Virtual = core.VirtualView
