package serve

import (
	"cmp"
	"maps"
	"slices"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/event"
)

// change has the fields of an event that change the state of the cluster.
type change struct {
	of      event.Type
	job     scheduling.JobID // 0 if the event is not about a job
	attempt scheduling.AttemptID
	kind    scheduling.TaskKind
	node    scheduling.NodeID
	pool    string
	near    int // of a launched map: the index of its distance from its data in distances
}

// distances are the distances of a map's node from its data.
var distances = [4]string{"node-local", "rack-local", "off-rack", "any-place"}

// changeBy returns what an event changes. Racks of racks count as off-rack.
func changeBy(e *actors.Event) change {
	c := change{
		of: e.Type, job: cmp.Or(e.Attempt.Task.Job, e.JobID), attempt: e.Attempt, kind: e.Kind, node: e.Node, pool: e.Pool,
		near: slices.Index(distances[:], e.Near),
	}
	if c.near < 0 {
		c.near = 2
	}
	if e.Attempt.Task.Job != 0 {
		c.kind = e.Attempt.Task.Kind
	}
	return c
}

// droppedState is the state of the cluster after the events that the ring has dropped: the events
// that still hold, as no later one replaces them, and the counts of each unfinished job. Its size
// is proportional to the number of nodes, pools and unfinished jobs. The page computes the same
// (actors/page/assets/state.mjs).
type droppedState struct {
	near [len(distances)]int64 // launched maps of all jobs
	jobs map[scheduling.JobID]*droppedJob
	latest
}

// droppedJob is the state of an unfinished job.
type droppedJob struct {
	counts  counts                           // with the maps that run in Near
	running map[scheduling.AttemptID][]*line // launch of each attempt that runs or is suspended, then its last suspend or resume
	latest
}

// counts is an event that only a snapshot contains: what became of a job's tasks or, with job 0,
// where the maps of all jobs ran, before the first event that is sent individually. It excludes
// running attempts, because the snapshot contains their launch events.
type counts struct {
	Type   string                `json:"type"`
	At     int64                 `json:"at"`
	Node   int                   `json:"node"`
	Job    scheduling.JobID      `json:"job,omitempty"`
	Done   [2]int64              `json:"done"`
	Failed int64                 `json:"failed"`
	Killed int64                 `json:"killed"`
	Near   [len(distances)]int64 `json:"near"`
}

// add adds a dropped event. It ignores events of jobs that have ended.
func (s *droppedState) add(l *line) {
	if l.job == 0 {
		s.latest.add(l)
		return
	}
	j := s.jobs[l.job]
	switch {
	case l.of == event.Submitted:
		j = &droppedJob{
			counts:  counts{Type: "counts", Node: -1, Job: l.job},
			running: map[scheduling.AttemptID][]*line{}, latest: latest{},
		}
		s.jobs[l.job] = j
	case j == nil:
		return
	}
	holds := j.running[l.attempt]
	switch l.of {
	case event.Launched:
		if l.kind == scheduling.Map {
			j.counts.Near[l.near]++
			s.near[l.near]++
		}
		j.running[l.attempt] = []*line{l}
		delete(j.latest, key{kind: event.Skipped, of: l.kind}) // a task of that kind waits no longer
		return
	case event.Suspended, event.Resumed:
		if holds != nil {
			j.running[l.attempt] = append(holds[:1:1], l)
		}
		return
	case event.Succeeded:
		if holds != nil {
			j.counts.Done[l.kind]++
		}
	case event.Failed:
		j.counts.Failed++
	case event.Killed:
		j.counts.Killed++
	case event.OutputLost:
		j.counts.Done[l.kind]--
		return
	case event.Finished:
		delete(s.jobs, l.job)
	default:
		j.latest.add(l)
		return
	}
	delete(j.running, l.attempt)
}

// snapshot returns the dropped events that still hold, in order, and the counts of each job and of
// all jobs.
func (s *droppedState) snapshot() (holding []*line, sums []counts) {
	all := counts{Type: "counts", Node: -1, Near: s.near}
	holding = slices.Collect(maps.Values(s.latest))
	for _, id := range slices.Sorted(maps.Keys(s.jobs)) {
		j := s.jobs[id]
		one := j.counts
		holding = slices.AppendSeq(holding, maps.Values(j.latest))
		for _, holds := range j.running {
			holding = append(holding, holds...)
			if launch := holds[0]; launch.kind == scheduling.Map {
				one.Near[launch.near]--
				all.Near[launch.near]--
			}
		}
		sums = append(sums, one)
	}
	slices.SortFunc(holding, func(x, y *line) int { return cmp.Compare(x.number, y.number) })
	return holding, append(sums, all)
}

// latest has the last event for each key: those about one job, or those about no job.
type latest map[key]*line

// key identifies the events that replace each other. An event replaces the one with the same key
// about the same job, or the one about no job.
type key struct {
	kind event.Type
	of   scheduling.TaskKind
	node scheduling.NodeID
	pool string
}

// add stores an event in place of the last one with the same key.
func (a latest) add(l *line) {
	k := key{kind: l.of}
	switch l.of {
	case event.Progress, event.Victim, event.Warning:
		return // these events do not hold
	case event.Skipped:
		k.of = l.kind
	case event.Shares:
		k.pool = l.pool
	case event.Need:
		k.pool, k.of = l.pool, l.kind
	case event.Joined, event.Lost, event.Cordoned:
		k.node = l.node
	case event.Avoided, event.Admitted:
		k.kind, k.node = event.Avoided, l.node
	default: // by kind only
	}
	a[k] = l
}
