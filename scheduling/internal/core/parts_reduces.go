package core

import (
	"fmt"
	"slices"
	"time"
)

// externalPlacement adapts a custom placement of reduces.
type externalPlacement struct {
	c    *Core
	name string
	part ReducePlacement
	of   Records[refusals] // since its last launch of a reduce
}

func newExternalPlacement(c *Core, name string, former Placement) (Placement, error) {
	p, err := part(c.Config.Parts.Reduces, "placement of reduces", name)
	a := &externalPlacement{c: c, name: name, part: p}
	if old, ok := former.(*externalPlacement); ok && old.name == name {
		a.of = slices.Clone(old.of)
	}
	return a, err
}

func (a *externalPlacement) Place(j *Job, n *NodeState) Proposal {
	pending, of := &j.Work[Reduce].Pending, a.of.Of(j)
	if pending.Len() == 0 {
		return Proposal{Task: -1, Allowed: a.c.Far}
	}
	i := a.part.Place(a.c.View(), ReduceOffer{
		Job: j.ID, Node: n.ID, Waiting: walk(pending), Urgent: a.c.Order.Urgent(j, Reduce), Refused: of.count, Waited: of.waited(a.c.Now),
	})
	switch {
	case i < 0:
		return Proposal{Task: -1, Allowed: AnyPlace, Why: CausePlacementWait}
	case int(i) >= len(j.Work[Reduce].Tasks) || !pending.Has(i):
		panic(fmt.Sprintf("scheduling: the placement of reduces %q chose reduce %d of %v, which does not wait to be launched", a.name, i, j.ID))
	}
	return Proposal{Task: i, Allowed: AnyPlace, Why: CausePlaced}
}

func (a *externalPlacement) Refused(j *Job) { a.of.Of(j).add(a.c.Now) }

func (a *externalPlacement) Launched(j *Job, _ *NodeState, l Locality) {
	if l != AnyPlace {
		a.of.Remove(j)
	}
}

func (a *externalPlacement) Begin()      {}
func (a *externalPlacement) Again() bool { return true }

func (a *externalPlacement) Remove(j *Job) {
	a.of.Remove(j)
	forget(a.part, j.ID)
}

func (a *externalPlacement) View(j *Job) (LocalityView, time.Duration) {
	of := a.of.Of(j)
	return LocalityView{Skips: of.count, Wait: of.waited(a.c.Now), Skipped: of.count > 0}, 0
}
