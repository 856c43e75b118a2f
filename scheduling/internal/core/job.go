package core

import (
	"math"
	"time"

	"github.com/tarry-mr/tarry/scheduling/internal/gravity"
	"github.com/tarry-mr/tarry/scheduling/internal/index"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// taskState is the state of a task.
type taskState uint8

// The states of a task.
const (
	TaskPending taskState = iota
	TaskRunning
	TaskSuspended
	TaskDone
)

// Task is the Core's record of a task: 20 bytes, since a job may have millions.
type Task struct {
	State taskState
	Fails uint8
	Tries int32        // attempts launched so far
	Att   int32        // slab index of the first live attempt, or -1
	Node  model.NodeID // node that has the output of a done task
	Won   int32        // the try that succeeded
}

// Work is the state of one kind of a job's tasks. The fields that a launch and a report use fit in
// two cache lines of 64 bytes, since consecutive jobs are far apart in memory.
type Work struct {
	Tasks     []Task // nil once the job has ended
	Running   int    // live attempts that are not suspended
	Done      int
	Suspended int
	Copies    int  // speculative attempts
	Open      bool // reduces: the slow-start gate is open; maps: always

	Pending index.TaskSet // for maps: those without a place
	Placed  index.TaskSet // maps only: pending ones with a place
	Again   int32         // pending tasks that were launched before
	Load    int32         // the job's part of Core.Load
	Slow    []int32       // tasks that should get a speculative attempt, in order
}

// Launched returns the number of tasks that have been launched.
func (w *Work) Launched() int { return w.Running + w.Suspended - w.Copies + w.Done + int(w.Again) }

// Waiting returns the number of tasks that wait to be launched.
func (w *Work) Waiting() int { return w.Pending.Len() + w.Placed.Len() }

// Job is the Core's record of a job. Policies keep their own records.
type Job struct {
	// Fields that an offer and a report read come first: one cache line, and two per kind.
	ID       model.JobID
	Index    int32          // dense number among jobs that have not ended
	Slots    int32          // per task
	Changes  int32          // increases when its output locations change or an attempt of a reduce ends without success
	Runnable bool           // may launch tasks: within the job limits, initialized
	Located  bool           // some map has a place
	Priority model.Priority // same as in Spec
	State    model.JobState
	Gate     int                    // maps that must be done before reduces launch
	Failures map[model.NodeID]int32 // failed attempts by node; nil while there are none
	ByPlace  placeIndex
	Work     [model.Kinds]Work

	Spec  model.JobSpec
	Hold  model.Reason // why it is not runnable
	err   string
	Group string // name of its pool or queue; empty if the order has none
	tries int    // failures of one task that fail the job

	failed      [model.Kinds]int // failed attempts
	ReducesLost int              // attempts of reduces that ended without success
	Outputs     *gravity.Outputs // of its maps; nil while none is known

	// Unfetched is indexed by map; nil unless fetches of map outputs have failed.
	Unfetched map[int32]*unfetched
	MapsDone  time.Duration // when the last map was done

	Submitted, started, finished time.Duration

	_ [24]byte // makes 712 bytes, which the allocator aligns to pairs of cache lines: worth 5 % of the speed of "capacity"
}

// placeIndex finds, for a job and a node, the pending map with the lowest index that has a replica
// on that node or in its rack.
type placeIndex struct {
	Levels []index.Level // 0: nodes, 1: racks
	Topo   int           // the Core's topology when the level of racks was built
}

// reduceLost records that an attempt of a reduce has ended without success.
func (j *Job) reduceLost() {
	j.ReducesLost++
	j.Changes++
}

// Launchable reports whether the job may now launch a task of kind k or a speculative attempt.
func (j *Job) Launchable(k model.TaskKind) bool {
	w := &j.Work[k]
	return j.Runnable && w.Open && (w.Waiting() > 0 || len(w.Slow) > 0)
}

// TaskTime returns the known duration of a task, 0 if unknown.
func (j *Job) TaskTime(k model.TaskKind) time.Duration {
	if k == model.Map {
		return j.Spec.MapTime
	}
	return j.Spec.ReduceTime
}

// Unfinished returns the number of tasks of kind k that are not done.
func (j *Job) Unfinished(k model.TaskKind) int { return len(j.Work[k].Tasks) - j.Work[k].Done }

// Demand returns the number of slots that the job could use: its unfinished tasks, including
// running ones; 0 if it may not launch.
func (j *Job) Demand(k model.TaskKind) int {
	if !j.Runnable || !j.Work[k].Open {
		return 0
	}
	return j.Unfinished(k)
}

// Load returns the demand or, for a job that may not launch, its running tasks.
func (j *Job) Load(k model.TaskKind) int {
	if !j.Runnable || !j.Work[k].Open {
		return j.Work[k].Running
	}
	return j.Unfinished(k)
}

// Replicas returns the mean number of places of the maps that have any, rounded; at least 1.
func (j *Job) Replicas() int {
	maps := 0
	for m := range int32(j.Spec.Maps) {
		if j.HasPlace(m) {
			maps++
		}
	}
	n := max(1, maps)
	return max(1, (len(j.Spec.Places.Nodes)+n/2)/n)
}

// slowStartMaps returns how many maps must be done before reduces launch: the fraction share.
func slowStartMaps(share float64, maps int) int {
	return int(min(float64(maps), math.Ceil(max(0, share)*float64(maps)-1e-9)))
}

// HasPlace reports whether the job names a node that stores the input of map m.
func (j *Job) HasPlace(m int32) bool {
	o := j.Spec.Places.Offsets
	return len(o) > 0 && o[m+1] > o[m]
}

// buildTasks creates the task tables and the pending sets.
func (c *Core) buildTasks(j *Job) {
	s := &j.Spec
	for k, n := range [model.Kinds]int{s.Maps, s.Reduces} {
		w := &j.Work[k]
		w.Tasks = make([]Task, n)
		for i := range w.Tasks {
			w.Tasks[i].Att, w.Tasks[i].Node = -1, model.NoNode
		}
	}
	j.Work[model.Reduce].Pending = index.NewFullTaskSet(s.Reduces)
	c.Waiting[model.Map] += s.Maps
	c.Waiting[model.Reduce] += s.Reduces
	m := &j.Work[model.Map]
	m.Open = true // slow start concerns reduces only
	j.Located = len(s.Places.Nodes) > 0
	if !j.Located {
		m.Pending = index.NewFullTaskSet(s.Maps)
		return
	}
	m.Pending, m.Placed = index.NewTaskSet(s.Maps), index.NewTaskSet(s.Maps)
	for i := range int32(s.Maps) {
		if j.HasPlace(i) {
			m.Placed.Add(i)
		} else {
			m.Pending.Add(i)
		}
	}
	c.BuildIndex(j)
}

// BuildIndex builds j.ByPlace, which finds the job's maps by node and, for nodes whose rack is
// known, by rack.
func (c *Core) BuildIndex(j *Job) {
	x, p := &j.ByPlace, j.Spec.Places
	if x.Levels == nil {
		x.Levels = make([]index.Level, model.OffRack)
		x.Levels[0] = index.NewLevel(p.Offsets, p.Nodes, len(c.Nodes), &c.near[0], j.Index, func(n model.NodeID) int32 { return int32(n) })
	}
	racks := &x.Levels[model.RackLocal]
	racks.Leave()
	*racks = index.NewLevel(p.Offsets, p.Nodes, len(c.Racks), &c.near[1], j.Index, func(n model.NodeID) int32 {
		if n := c.Nodes[n]; n.Joined {
			return n.Site[1]
		}
		return -1
	})
	x.Topo = c.Topo
}
