package serve

import (
	"cmp"
	"maps"
	"slices"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/event"
)

// digest is what is still true of events that the ring has lost: those that lead whoever begins with
// the ring's oldest to the state in which that happened. It is as large as the state: nodes, pools,
// and the jobs that have not ended with the attempts that run. A broker's mutex guards it.
type digest struct {
	about map[key]*line // the last of its kind about something; see keyOf
	jobs  map[scheduling.JobID]*jobDigest
	near  [4]int64 // maps of attempts that have ended, by locality
}

// jobDigest is that of a job that has not ended.
type jobDigest struct {
	about    map[key]*line
	attempts map[scheduling.AttemptID][2]*line // that run: launched, and the last suspended or resumed
	counts   counts
}

// counts is an event that only a digest has: what became of a job's tasks, or with job 0 where the
// maps of all jobs ran, before the first event that is sent one by one.
type counts struct {
	Type   string           `json:"type"`
	At     int64            `json:"at"`
	Node   int              `json:"node"`
	Job    scheduling.JobID `json:"job,omitempty"`
	Done   [2]int64         `json:"done"`
	Failed int64            `json:"failed"`
	Killed int64            `json:"killed"`
	Near   [4]int64         `json:"near"` // node-local, rack-local, elsewhere, without location
}

func newDigest() *digest {
	return &digest{about: map[key]*line{}, jobs: map[scheduling.JobID]*jobDigest{}}
}

// add takes in the event that comes after those it has.
func (d *digest) add(l *line) {
	about, j := d.about, d.jobs[l.job]
	switch {
	case l.job == 0:
	case l.kind == event.Submitted:
		j = &jobDigest{
			about: map[key]*line{}, attempts: map[scheduling.AttemptID][2]*line{}, counts: counts{Type: "counts", Node: -1, Job: l.job},
		}
		d.jobs[l.job], about = j, j.about
	case j == nil:
		return // it has ended
	default:
		about = j.about
	}
	switch l.kind {
	case event.Finished:
		delete(d.jobs, l.job)
	case event.Launched, event.Suspended, event.Resumed:
		j.lives(l)
	case event.Succeeded, event.Failed, event.Killed:
		d.ended(j, l)
	case event.OutputLost:
		j.counts.Done[l.attempt.Task.Kind]--
	case event.Progress, event.Victim, event.Warning:
	default:
		about[l.key] = l
	}
}

// lives takes in what leads to an attempt that runs.
func (j *jobDigest) lives(l *line) {
	was := j.attempts[l.attempt]
	if l.kind == event.Launched {
		was = [2]*line{l}
		delete(j.about, key{kind: event.Skipped, of: l.attempt.Task.Kind}) // it waits no more
	} else {
		was[1] = l
	}
	j.attempts[l.attempt] = was
}

// ended takes in the end of an attempt.
func (d *digest) ended(j *jobDigest, l *line) {
	was := j.attempts[l.attempt]
	delete(j.attempts, l.attempt)
	if was[0] == nil {
		return
	}
	switch l.kind {
	case event.Succeeded:
		j.counts.Done[l.attempt.Task.Kind]++
	case event.Failed:
		j.counts.Failed++
	default:
		j.counts.Killed++
	}
	if l.attempt.Task.Kind == scheduling.Map {
		n := localityColumn(was[0].near)
		j.counts.Near[n]++
		d.near[n]++
	}
}

// all gives the events of the digest, in their order, and what counts stand for.
func (d *digest) all() (list []*line, sums []counts) {
	for _, l := range d.about {
		list = append(list, l)
	}
	for _, id := range slices.Sorted(maps.Keys(d.jobs)) {
		j := d.jobs[id]
		for _, l := range j.about {
			list = append(list, l)
		}
		for _, a := range j.attempts {
			for _, l := range a {
				if l != nil {
					list = append(list, l)
				}
			}
		}
		sums = append(sums, j.counts)
	}
	slices.SortFunc(list, func(a, b *line) int { return cmp.Compare(a.number, b.number) })
	return list, append(sums, counts{Type: "counts", Node: -1, Near: d.near})
}

// key says what an event replaces: of events with one key about the same job, or none, the last is
// worth as much as all.
type key struct {
	kind event.Type
	of   scheduling.TaskKind
	node scheduling.NodeID
	pool string
}

func keyOf(e *actors.Event) key {
	k := key{kind: e.Type}
	switch e.Type {
	case event.Skipped:
		k.of = e.Kind
	case event.Shares:
		k.pool = e.Pool
	case event.Need:
		k.pool, k.of = e.Pool, e.Kind
	case event.Joined, event.Lost, event.Cordoned:
		k.node = e.Node
	case event.Avoided, event.Admitted:
		k.kind, k.node = event.Avoided, e.Node
	default: // the kind alone
	}
	return k
}
