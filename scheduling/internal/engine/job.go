package engine

import (
	"math"
	"time"

	"github.com/tarry-mr/tarry/scheduling/internal/index"
)

// taskState is where a task is in its life.
type taskState uint8

const (
	taskPending taskState = iota
	taskRunning
	taskSuspended
	taskDone
)

// task is what the Core keeps of each task; 20 bytes, since a job may have millions.
type task struct {
	state taskState
	fails uint8
	tries int32  // attempts launched so far
	att   int32  // slab index of the first live attempt, or -1
	node  NodeID // where the output of a done task lies
	won   int32  // the try that succeeded
}

// work is one kind of a job's tasks. What a launch and a report read and write of it is two lines of
// the cache, of 64 bytes each: a job is met far from where the one before it lies.
type work struct {
	tasks     []task // none once the job has ended
	running   int    // live attempts that are not suspended
	done      int
	suspended int
	copies    int      // live attempts but the first of each task
	open      bool     // reduces: the slow-start gate is open; maps: always
	skipped   Cause    // of the last event that told that the job was passed over
	skipLevel Locality // likewise

	pending index.TaskSet // for maps: those without a place
	placed  index.TaskSet // maps only: pending ones with a place
	again   int32         // pending ones that were launched before
	load    int32         // what the Core has counted of the job
	slow    *slowTasks    // to be copied; nil for none
}

// slowTasks are tasks to be copied, in this order; at least one.
type slowTasks struct{ list []int32 }

// toCopy is the tasks to be copied, in order.
func (w *work) toCopy() []int32 {
	if w.slow == nil {
		return nil
	}
	return w.slow.list
}

// launched is how many tasks have been launched at some time.
func (w *work) launched() int { return w.running + w.suspended - w.copies + w.done + int(w.again) }

// waiting is how many tasks wait to be launched.
func (w *work) waiting() int { return w.pending.Len() + w.placed.Len() }

// job is the Core's record of a job. What a policy keeps of it lies with the policy.
type job struct {
	// What an offer and a report read stands first: one line of the cache, and two of each kind.
	id       JobID
	index    int32    // dense number among the jobs that have not ended
	slots    int32    // per task
	changes  int32    // of where its outputs lie; attempts at reduces that came to nothing count, too
	runnable bool     // may launch tasks: within the limits on jobs, initialized
	located  bool     // some map has a place
	priority Priority // as spec says
	state    JobState
	gate     int      // maps that must be done before reduces launch
	trouble  *trouble // where its attempts have failed; nil while none has
	byPlace  placeIndex
	w        [kinds]work

	spec  JobSpec
	hold  Reason // why it is not runnable
	err   string
	group string // the name of its pool or queue, empty where there is none
	tries int

	failed      [kinds]int   // attempts
	reducesLost int          // attempts at reduces that have come to nothing
	skips       [kinds]int   // events that could have told that it was passed over, of the last cause and level, since the last launch
	skipAt      [kinds]int32 // where it stands in Core.skips, if it does

	// unfetched is by map; nil unless fetches of map outputs have failed.
	unfetched map[int32]*unfetched
	mapsDone  time.Duration // when the last map was done
	told      *standing     // how it stands, by the last event that said so
	pace      [kinds]*pace  // of the tasks done, under a policy that speculates; nil without one

	submitted, started, finished time.Duration
}

// placeIndex finds, for a job and a node, the pending map of least index with a replica on that
// node, in its rack, or in a wider group.
type placeIndex struct {
	levels []index.Level // 0: nodes, 1: racks, …
	topo   int           // the Core's topology when the levels above 0 were built
}

// reduceLost notes that an attempt at a reduce has come to nothing.
func (j *job) reduceLost() {
	j.reducesLost++
	j.changes++
}

// launchable tells whether the job has a task of kind k that it may launch, or copy, now.
func (j *job) launchable(k TaskKind) bool {
	w := &j.w[k]
	return j.runnable && w.open && (w.waiting() > 0 || w.slow != nil)
}

// taskTime is the known duration of a task, 0 if unknown.
func (j *job) taskTime(k TaskKind) time.Duration {
	if k == Map {
		return j.spec.MapTime
	}
	return j.spec.ReduceTime
}

// unfinished is the number of tasks of kind k not done yet.
func (j *job) unfinished(k TaskKind) int { return len(j.w[k].tasks) - j.w[k].done }

// demand is the number of slots the job could use: its unfinished tasks, running ones included, 0
// if it may not launch.
func (j *job) demand(k TaskKind) int {
	if !j.runnable || !j.w[k].open {
		return 0
	}
	return j.unfinished(k)
}

// load is the demand, or the running tasks of a job that may not launch any more.
func (j *job) load(k TaskKind) int {
	if !j.runnable || !j.w[k].open {
		return j.w[k].running
	}
	return j.unfinished(k)
}

// replicas is how many places the inputs have in the mean, of those maps that have any; at least 1.
func (j *job) replicas() int {
	maps := 0
	for m := range int32(j.spec.Maps) {
		if j.hasPlace(m) {
			maps++
		}
	}
	n := max(1, maps)
	return max(1, (len(j.spec.Places.Nodes)+n/2)/n)
}

// slowStartMaps is the number of maps that must be done before reduces launch.
func slowStartMaps(share float64, maps int) int {
	return int(min(float64(maps), math.Ceil(max(0, share)*float64(maps)-1e-9)))
}

// hasPlace tells whether map m has a place.
func (j *job) hasPlace(m int32) bool {
	o := j.spec.Places.Offsets
	return len(o) > 0 && o[m+1] > o[m]
}

// buildTasks makes the task tables and the pending sets.
func (c *Core) buildTasks(j *job) {
	s := &j.spec
	for k, n := range [kinds]int{s.Maps, s.Reduces} {
		w := &j.w[k]
		w.tasks = make([]task, n)
		for i := range w.tasks {
			w.tasks[i].att, w.tasks[i].node = -1, NoNode
		}
	}
	j.w[Reduce].pending = index.NewFullTaskSet(s.Reduces)
	c.waiting[Map] += s.Maps
	c.waiting[Reduce] += s.Reduces
	m := &j.w[Map]
	m.open = true
	j.located = len(s.Places.Nodes) > 0
	if !j.located {
		m.pending = index.NewFullTaskSet(s.Maps)
		return
	}
	m.pending, m.placed = index.NewTaskSet(s.Maps), index.NewTaskSet(s.Maps)
	for i := range int32(s.Maps) {
		if j.hasPlace(i) {
			m.placed.Add(i)
		} else {
			m.pending.Add(i)
		}
	}
	c.buildIndex(j)
}

// buildIndex indexes the job's maps by node and, as far as the racks are known, by rack and wider
// groups.
func (c *Core) buildIndex(j *job) {
	x, p := &j.byPlace, j.spec.Places
	if x.levels == nil {
		x.levels = make([]index.Level, 1+c.cfg.RackDepth)
		x.levels[0] = index.NewLevel(p.Offsets, p.Nodes, len(c.nodes), &c.near[0], j.index, func(n NodeID) int32 { return int32(n) })
	}
	for l := 1; l < len(x.levels); l++ {
		x.levels[l].Leave()
		x.levels[l] = index.NewLevel(p.Offsets, p.Nodes, c.groups[l].count(), &c.near[l], j.index, func(n NodeID) int32 {
			if g := c.nodes[n].groups; g != nil {
				return g[l]
			}
			return -1
		})
	}
	x.topo = c.topo
}
