package core

import (
	"fmt"

	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// externalLocality is the Placement of maps that asks a custom part of the program.
type externalLocality struct {
	external
	placement MapPlacement
	chooser   MapChooser // the placement, if it is one
	chose     bool       // the last proposal was the chooser's
}

func newExternalLocality(c *Core, name string, former Placement) (Placement, error) {
	p, err := part(c.Config.Parts.Maps, "placement of maps", name)
	chooser, _ := p.(MapChooser)
	a := &externalLocality{external: external{c: c, name: name, part: p}, placement: p, chooser: chooser}
	if old, ok := former.(*externalLocality); ok {
		a.adopt(&old.external)
	}
	return a, err
}

func (a *externalLocality) Place(j *Job, n *NodeState) Proposal {
	_, nearest := a.c.Pick(j, n, a.c.Far)
	if a.chose = false; nearest == model.AnyPlace {
		return a.c.Nearest(j, n, a.c.Far, model.CauseWaited)
	}
	o := MapOffer{
		Job: j.ID, Node: n.ID, Nearest: nearest, Urgent: a.c.Order.Urgent(j, model.Map), Waiting: walk(&j.Work[model.Map].Placed),
	}
	o.Refused, o.Waited = a.refused(j)
	if a.chooser != nil {
		return a.choose(j, n, o)
	}
	l := a.placement.Farthest(a.c.View(), o)
	if l == model.AnyPlace {
		l = a.c.Far
	}
	return a.c.Nearest(j, n, min(max(l, model.NodeLocal), a.c.Far), model.CauseWaited)
}

// choose proposes the map that the chooser returns, at any level.
func (a *externalLocality) choose(j *Job, n *NodeState, o MapOffer) Proposal {
	m := a.chooser.Choose(a.c.View(), o)
	switch {
	case m < 0:
		return Proposal{Task: -1, Level: model.AnyPlace, Allowed: a.c.Far, Why: model.CauseWaiting}
	case int(m) >= len(j.Work[model.Map].Tasks) || !j.Work[model.Map].Placed.Has(m):
		panic(fmt.Sprintf("scheduling: the placement of maps %q chose map %d of %v, which does not wait to be launched", a.name, m, j.ID))
	}
	a.chose = true
	return Proposal{Task: m, Level: a.c.Level(j, m, n), Allowed: a.c.Far, Why: model.CauseWaited}
}

func (a *externalLocality) Launched(j *Job, _ *NodeState, l model.Locality) {
	if l == model.NodeLocal {
		a.of.Remove(j)
	}
	if told, ok := a.part.(launcher); ok && a.chose {
		told.Launched(j.ID)
	}
}
