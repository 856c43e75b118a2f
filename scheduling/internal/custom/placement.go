package custom

import (
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/index"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
	"github.com/tarry-mr/tarry/scheduling/view"
)

// placement asks a custom placement, of maps or of reduces. It counts each job's refused offers,
// which the part gets as Refused and Waited.
type placement struct {
	c     *core.Core
	kind  model.TaskKind
	name  string
	part  any // a core.MapPlacement or a core.ReducePlacement
	of    core.Records[refusals]
	chose bool // the last proposal is a map that the part chose
}

// refusals counts a job's refused slots.
type refusals struct {
	count int
	since time.Duration // time of the first
}

// NewPlacement returns the placement of tasks of kind k of c.Config.Parts with that name. It takes
// over the refusals of the former placement, if it has the same part.
func NewPlacement(c *core.Core, k model.TaskKind, name string, former core.Placement) (core.Placement, error) {
	a := &placement{c: c, kind: k, name: name}
	var err error
	if k == model.Map {
		a.part, err = part(c.Config.Parts.Maps, "placement of maps", name)
	} else {
		a.part, err = part(c.Config.Parts.Reduces, "placement of reduces", name)
	}
	if old, ok := former.(*placement); ok && old.name == name {
		a.of = slices.Clone(old.of)
	}
	return a, err
}

func (a *placement) Place(j *core.Job, n *core.NodeState) core.Proposal {
	a.chose = false
	if a.kind == model.Reduce {
		return a.placeReduce(j, n)
	}
	_, nearest := a.c.Pick(j, n, model.OffRack)
	if nearest == model.AnyPlace {
		return a.c.Nearest(j, n, model.OffRack, model.CauseWaited)
	}
	waiting := &j.Work[model.Map].Placed
	o := a.offer(j, n, waiting)
	o.Nearest = nearest
	if chooser, ok := a.part.(core.MapChooser); ok {
		m := chooser.Choose(a.c.View(), o)
		if m < 0 {
			return core.Proposal{Task: -1, Level: model.AnyPlace, Allowed: model.OffRack, Why: model.CauseWaiting}
		}
		a.check(j, m, waiting)
		a.chose = true
		return core.Proposal{Task: m, Level: a.c.Level(j, m, n), Allowed: model.OffRack, Why: model.CauseWaited}
	}
	l := a.part.(core.MapPlacement).Farthest(a.c.View(), o)
	if l == model.AnyPlace {
		l = model.OffRack
	}
	return a.c.Nearest(j, n, min(max(l, model.NodeLocal), model.OffRack), model.CauseWaited)
}

func (a *placement) placeReduce(j *core.Job, n *core.NodeState) core.Proposal {
	waiting := &j.Work[model.Reduce].Pending
	if waiting.Len() == 0 {
		return core.Proposal{Task: -1, Allowed: model.OffRack}
	}
	i := a.part.(core.ReducePlacement).Place(a.c.View(), a.offer(j, n, waiting))
	if i < 0 {
		return core.Proposal{Task: -1, Allowed: model.AnyPlace, Why: model.CausePlacementWait}
	}
	a.check(j, i, waiting)
	return core.Proposal{Task: i, Allowed: model.AnyPlace, Why: model.CausePlaced}
}

// offer returns the offer of a slot of n to j, whose waiting tasks are given.
func (a *placement) offer(j *core.Job, n *core.NodeState, waiting *index.TaskSet) core.Offer {
	o := core.Offer{Job: j.ID, Node: n.ID, Urgent: a.c.Order.Urgent(j, a.kind), Waiting: walk(waiting)}
	o.Refused, o.Waited = a.refused(j)
	return o
}

// check panics unless the task that the part chose waits to be launched.
func (a *placement) check(j *core.Job, task int32, waiting *index.TaskSet) {
	if int(task) >= len(j.Work[a.kind].Tasks) || !waiting.Has(task) {
		panic(fmt.Sprintf("scheduling: the placement of %vs %q chose %v %d of %v, which does not wait to be launched", a.kind, a.name, a.kind, task, j.ID))
	}
}

// refused returns how often a job has refused a slot, and the time since the first refusal.
func (a *placement) refused(j *core.Job) (count int, waited time.Duration) {
	r := a.of.Of(j)
	if r.count == 0 {
		return 0, 0
	}
	return r.count, a.c.Now - r.since
}

func (a *placement) Refused(j *core.Job) {
	r := a.of.Of(j)
	if r.count == 0 {
		r.since = a.c.Now
	}
	r.count++
}

// Launched ends the count of refusals at the launch of a node-local map or of a reduce, whose level
// is always NodeLocal; a speculative reduce has AnyPlace.
func (a *placement) Launched(j *core.Job, _ *core.NodeState, l model.Locality) {
	if l == model.NodeLocal {
		a.of.Remove(j)
	}
	if told, ok := a.part.(interface{ Launched(id model.JobID) }); ok && a.chose {
		told.Launched(j.ID)
	}
}

func (*placement) Begin()            {}
func (*placement) CountsSlots() bool { return true }

func (a *placement) Remove(j *core.Job) {
	a.of.Remove(j)
	forget(a.part, j.ID)
}

func (a *placement) View(j *core.Job) (view.Locality, time.Duration) {
	count, waited := a.refused(j)
	return view.Locality{Skips: count, Wait: waited, Skipped: count > 0}, 0
}

// walk yields the tasks of a set, ascending.
func walk(set *index.TaskSet) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for i := set.First(); i >= 0 && yield(i); {
			i = set.Next(i)
		}
	}
}
