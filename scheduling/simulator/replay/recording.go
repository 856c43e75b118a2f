package replay

import (
	"iter"
	"time"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/event"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// Recording is what a replay needs of a run's events. It must not be changed; its methods may be
// called concurrently.
type Recording struct {
	Began  event.Header
	Policy scheduling.Policy // at the start
	// Warnings says in sentences what a replay ignores of the run or must estimate.
	Warnings []string

	nodes []node
	jobs  []*job
	racks int
}

// node is a machine of the recording. Racks are numbered by first appearance.
type node struct {
	simulator.Machine
	down      []outage
	lastEvent time.Duration // of its last event
	lost      bool
}

// outage is a time when a node was down, or an attempt suspended. A `to` of 0 means that it lasted.
type outage struct{ from, to time.Duration }

// job is a job of the recording.
type job struct {
	workload.Job
	result    simulator.JobResult // without tasks and bytes
	state     string              // empty: not ended
	places    *event.InputPlaces
	asked     []int // nodes in the order in which they were offered tasks when the job arrived
	follows   int   // number of the job for whose end it waited, from 1; 0: none
	tasks     [2][]task
	mapsDone  []time.Duration // ends of maps, in order
	allDone   time.Duration   // when each map had ended once
	hasOutput bool            // sizes of map outputs by reduce are known
}

// task is a task with its attempts.
type task struct {
	tries  []try
	output []int64 // of a map, by reduce
	size   int64   // total of the map's output
	holder int     // node that has the map's output
}

// try is an attempt.
type try struct {
	node      int
	launched  time.Duration
	ended     time.Duration
	held      time.Duration
	gaps      []outage // times in which it was suspended
	near      scheduling.Locality
	end       event.Type    // Succeeded, Failed or Killed; 0: not ended
	overtaken bool          // killed because another attempt of its task succeeded
	part      float64       // fraction of its work that was done at partAt
	partAt    time.Duration // time of that report
}

// succeeded reports whether the job succeeded.
func (j *job) succeeded() bool { return j.state == scheduling.JobSucceeded.String() }

// won returns the successful attempt of the task, or nil.
func (t *task) won() *try {
	for i := range t.tries {
		if t.tries[i].end == event.Succeeded {
			return &t.tries[i]
		}
	}
	return nil
}

// won returns the successful attempts of the job's tasks of a kind, with the numbers of the tasks.
func (j *job) won(k scheduling.TaskKind) iter.Seq2[int, *try] {
	return func(yield func(int, *try) bool) {
		for t := range j.tasks[k] {
			if a := j.tasks[k][t].won(); a != nil && !yield(t, a) {
				return
			}
		}
	}
}

// Jobs returns the number of jobs, and the total numbers of maps and reduces.
func (r *Recording) Jobs() (jobs, maps, reduces int) {
	for _, j := range r.jobs {
		maps, reduces = maps+j.Maps, reduces+j.Reduces
	}
	return len(r.jobs), maps, reduces
}

// Cluster returns the numbers of nodes and racks of the recorded cluster.
func (r *Recording) Cluster() (nodes, racks int) { return len(r.nodes), r.racks }
