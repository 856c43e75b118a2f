package core

import (
	"fmt"

	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// externalPlacement is the Placement of reduces that asks a custom part of the program.
type externalPlacement struct {
	external
	placement ReducePlacement
}

func newExternalPlacement(c *Core, name string, former Placement) (Placement, error) {
	p, err := part(c.Config.Parts.Reduces, "placement of reduces", name)
	a := &externalPlacement{external{c: c, name: name, part: p}, p}
	if old, ok := former.(*externalPlacement); ok {
		a.adopt(&old.external)
	}
	return a, err
}

func (a *externalPlacement) Place(j *Job, n *NodeState) Proposal {
	pending := &j.Work[model.Reduce].Pending
	if pending.Len() == 0 {
		return Proposal{Task: -1, Allowed: a.c.Far}
	}
	refused, waited := a.refused(j)
	i := a.placement.Place(a.c.View(), ReduceOffer{
		Job: j.ID, Node: n.ID, Waiting: walk(pending), Urgent: a.c.Order.Urgent(j, model.Reduce), Refused: refused, Waited: waited,
	})
	switch {
	case i < 0:
		return Proposal{Task: -1, Allowed: model.AnyPlace, Why: model.CausePlacementWait}
	case int(i) >= len(j.Work[model.Reduce].Tasks) || !pending.Has(i):
		panic(fmt.Sprintf("scheduling: the placement of reduces %q chose reduce %d of %v, which does not wait to be launched", a.name, i, j.ID))
	}
	return Proposal{Task: i, Allowed: model.AnyPlace, Why: model.CausePlaced}
}

func (a *externalPlacement) Launched(j *Job, _ *NodeState, l model.Locality) {
	if l != model.AnyPlace {
		a.of.Remove(j)
	}
}
