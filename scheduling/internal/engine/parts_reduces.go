package engine

import (
	"fmt"
	"slices"
	"time"
)

// askedPlacement is a placement of reduces from outside.
type askedPlacement struct {
	c    *Core
	name string
	part ReducePlacement
	of   records[refusals] // since its last launch of a reduce
}

func newAskedPlacement(c *Core, name string, former placement) (placement, error) {
	p, err := part(c.cfg.Parts.Reduces, "placement of reduces", name)
	a := &askedPlacement{c: c, name: name, part: p}
	if old, ok := former.(*askedPlacement); ok && old.name == name {
		a.of = slices.Clone(old.of)
	}
	return a, err
}

func (a *askedPlacement) place(j *job, n *node) proposal {
	pending, of := &j.w[Reduce].pending, a.of.of(j)
	if pending.Len() == 0 {
		return proposal{task: -1, allowed: a.c.far}
	}
	i := a.part.Place(a.c.View(), ReduceOffer{
		Job: j.id, Node: n.id, Waiting: walk(pending), Urgent: a.c.order.urgent(j, Reduce), Refused: of.count, Waited: of.waited(a.c.now),
	})
	switch {
	case i < 0:
		return proposal{task: -1, allowed: AnyPlace, why: CausePlacementWait}
	case int(i) >= len(j.w[Reduce].tasks) || !pending.Has(i):
		panic(fmt.Sprintf("scheduling: the placement of reduces %q chose reduce %d of %v, which does not wait to be launched", a.name, i, j.id))
	}
	return proposal{task: i, allowed: AnyPlace, why: CausePlaced}
}

func (a *askedPlacement) refused(j *job) { a.of.of(j).add(a.c.now) }

func (a *askedPlacement) launched(j *job, _ *node, l Locality) {
	if l != AnyPlace {
		a.of.remove(j)
	}
}

func (a *askedPlacement) begin()      {}
func (a *askedPlacement) again() bool { return true }

func (a *askedPlacement) remove(j *job) {
	a.of.remove(j)
	forget(a.part, j.id)
}

func (a *askedPlacement) view(j *job) (LocalityView, time.Duration) {
	of := a.of.of(j)
	return LocalityView{Skips: of.count, Wait: of.waited(a.c.now), Skipped: of.count > 0}, 0
}
