// Package view has snapshots of jobs, nodes, pools and queues, as a scheduling.View returns them.
package view

import "github.com/tarry-mr/tarry/scheduling/internal/core"

// Attempt is a snapshot of a live attempt.
type Attempt = core.AttemptView

// Job is a snapshot of a job.
type Job = core.JobView

// Kind holds the counts of a job's, or of a pool's, tasks of one kind: maps or reduces.
type Kind = core.KindView

// Locality shows how long a job has waited for a slot near its data, and what it may launch now.
type Locality = core.LocalityView

// Node is a snapshot of a node.
type Node = core.NodeView

// Pool is a snapshot of a pool.
type Pool = core.PoolView

// Queue is a snapshot of a queue of the capacity scheduler.
type Queue = core.QueueView

// Skip records why a job with a task to launch was passed over when a slot was offered. Until is
// the time at which that reason ends; 0 means that no time ends it.
type Skip = core.Skip

// Virtual is a job's progress in the virtual cluster of hfsp, for one kind of its tasks.
type Virtual = core.VirtualView
