package serve

import (
	"cmp"
	"maps"
	"slices"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/event"
)

// distances are the distances of a map's node from its data.
var distances = [4]string{"node-local", "rack-local", "off-rack", "any-place"}

// distance returns the index in distances of where a map was launched, or -1 for other events.
// Racks of racks count as off-rack.
func (l *line) distance() int {
	if l.Type != event.Launched || l.Attempt.Task.Kind != scheduling.Map {
		return -1
	}
	if at := slices.Index(distances[:], l.Near); at >= 0 {
		return at
	}
	return 2
}

// droppedState is the state of the cluster after the events that the ring has dropped: that of each
// unfinished job and, under 0, of the cluster. Its size is proportional to the number of nodes,
// pools and unfinished jobs. The page computes the same (actors/page/assets/state.mjs).
type droppedState map[scheduling.JobID]*droppedJob

// droppedJob is the events of a job that still hold, as no later one replaces them, and its counts.
// The events include the launch of each attempt that runs or is suspended.
type droppedJob struct {
	counts counts // with the maps that run in Near; under 0 those of all jobs
	latest
}

func newDroppedJob(id scheduling.JobID) *droppedJob {
	return &droppedJob{counts{Type: "counts", Node: -1, Job: id}, latest{}}
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
func (s droppedState) add(l *line) {
	id := l.job()
	if l.Type == event.Submitted {
		s[id] = newDroppedJob(id)
	}
	j := s[id]
	if j == nil {
		return
	}
	launch, kind := key{kind: event.Launched, attempt: l.Attempt}, l.Attempt.Task.Kind
	runs := j.latest[launch] != nil
	switch l.Type {
	case event.Launched:
		if at := l.distance(); at >= 0 {
			j.counts.Near[at]++
			s[0].counts.Near[at]++
		}
		delete(j.latest, key{kind: event.Skipped, of: kind}) // a task of that kind waits no longer
		j.latest.add(l)
		return
	case event.Suspended, event.Resumed:
		if runs {
			j.latest.add(l)
		}
		return
	case event.Succeeded:
		if runs {
			j.counts.Done[kind]++
		}
	case event.Failed:
		j.counts.Failed++
	case event.Killed:
		j.counts.Killed++
	case event.OutputLost:
		j.counts.Done[kind]--
		return
	case event.Finished:
		delete(s, id)
	default:
		j.latest.add(l)
		return
	}
	delete(j.latest, launch)
	delete(j.latest, key{kind: event.Suspended, attempt: l.Attempt})
}

// snapshot returns the dropped events that still hold, in order, and the counts of each job and of
// all jobs.
func (s droppedState) snapshot() (holding []*line, sums []counts) {
	all := s[0].counts
	for _, id := range slices.Sorted(maps.Keys(s)) {
		one := s[id].counts
		holding = slices.AppendSeq(holding, maps.Values(s[id].latest))
		for _, l := range s[id].latest {
			if at := l.distance(); at >= 0 { // it still runs
				one.Near[at]--
				all.Near[at]--
			}
		}
		sums = append(sums, one)
	}
	slices.SortFunc(holding, func(x, y *line) int { return cmp.Compare(x.number, y.number) })
	return holding, append(sums[1:], all)
}

// latest has the last event for each key: those about one job, or those about no job.
type latest map[key]*line

// key identifies the events that replace each other. An event replaces the one with the same key
// about the same job, or the one about no job.
type key struct {
	kind    event.Type
	of      scheduling.TaskKind
	attempt scheduling.AttemptID
	node    scheduling.NodeID
	pool    string
}

// add stores an event in place of the last one with the same key.
func (a latest) add(l *line) {
	k := key{kind: l.Type}
	switch l.Type {
	case event.Progress, event.Victim, event.Warning:
		return // these events do not hold
	case event.Launched:
		k.attempt = l.Attempt
	case event.Suspended, event.Resumed:
		k.kind, k.attempt = event.Suspended, l.Attempt
	case event.Skipped:
		k.of = l.Kind
	case event.Shares:
		k.pool = l.Pool
	case event.Need:
		k.pool, k.of = l.Pool, l.Kind
	case event.Joined, event.Lost, event.Cordoned:
		k.node = l.Node
	case event.Avoided, event.Admitted:
		k.kind, k.node = event.Avoided, l.Node
	default: // by kind only
	}
	a[k] = l
}
