// Package view has snapshots of jobs, nodes, pools and queues, as a scheduling.View returns them.
package view

import (
	"time"

	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// Kind holds the counts of a job's, or of a pool's, tasks of one kind: maps or reduces.
type Kind struct {
	Total     int
	Pending   int // waiting to be launched
	Running   int // attempts that hold slots
	Suspended int
	Done      int
	Failed    int     // failed attempts so far
	Demand    int     // unfinished tasks, including running ones; 0 for a job that may not launch
	Share     float64 // fair share in slots; NaN if the policy has none
	Weight    float64 // of the job in the computation of shares
}

// Job is a snapshot of a job.
type Job struct {
	ID        model.JobID
	Name      string
	User      string
	Pool      string // or queue
	Priority  model.Priority
	State     model.JobState
	Runnable  bool         // may launch: initialized, within the job limits
	Hold      model.Reason // why not, unless Runnable
	Err       string       // why it failed
	Submitted time.Duration
	Started   time.Duration // when it could first launch
	Finished  time.Duration // 0 while it has not ended
	Kinds     [2]Kind       // by TaskKind
}

// Node is a snapshot of a node.
type Node struct {
	ID       model.NodeID
	Name     string
	Rack     string
	Slots    [2]int
	Running  [2]int
	Free     [2]int
	Live     bool
	Cordoned bool
	Avoided  bool          // by all jobs, because of its faults
	Seen     time.Duration // last heartbeat
}

// Attempt is a snapshot of a live attempt.
type Attempt struct {
	ID        model.AttemptID
	Node      model.NodeID
	Suspended bool
	Started   time.Duration
	Worked    time.Duration // time in a slot so far
	Locality  model.Locality
	Progress  float64
	Granted   bool // it may commit
}

// Locality shows how long a job has waited for a slot near its data, and what it may launch now.
type Locality struct {
	Level   model.Locality // of its last map; NodeLocal at first
	Wait    time.Duration  // waited since that launch
	Skipped bool           // passed over at the last offer of a map slot
	Skips   int            // under SkipCount: offers refused
}

// Virtual is a job's progress in the virtual cluster of hfsp, for one kind of its tasks.
type Virtual struct {
	Left   time.Duration // sum of the remaining run times of its tasks
	Slots  float64       // slots that it has there
	Finish time.Duration // when it will finish, or has finished, there; 0 if it has no tasks of the kind
}

// Pool is a snapshot of a pool.
type Pool struct {
	Name   string
	Config model.PoolConfig // with the defaults filled in
	Jobs   int
	Kinds  [2]Kind // Running, Demand (cut to the maximum), Share
	Need   [2]int  // slots that it may now claim by preemption
}

// Queue is a snapshot of a queue of the capacity scheduler.
type Queue struct {
	Name     string
	Parent   string // empty for top queues
	Leaf     bool
	Config   model.QueueConfig
	Capacity [2]int  // guaranteed slots
	Max      [2]int  // NoLimit if none
	Occupied [2]int  // slots held, not tasks
	Kinds    [2]Kind // Running and Demand, of leaves
	Jobs     int     // jobs that have not ended, including waiting ones
	Users    int
}
