package core

import (
	"fmt"
	"slices"
	"time"
)

// externalLocality adapts a custom placement of maps. It counts the refusals of each job for it.
type externalLocality struct {
	c       *Core
	name    string
	part    MapPlacement
	chooser MapChooser // part, if it is one
	chose   bool       // the last proposal was the chooser's
	of      Records[refusals]
}

func newExternalLocality(c *Core, name string, former Placement) (Placement, error) {
	p, err := part(c.Config.Parts.Maps, "placement of maps", name)
	chooser, _ := p.(MapChooser)
	a := &externalLocality{c: c, name: name, part: p, chooser: chooser}
	if old, ok := former.(*externalLocality); ok && old.name == name {
		a.of = slices.Clone(old.of)
	}
	return a, err
}

func (a *externalLocality) Place(j *Job, n *NodeState) Proposal {
	_, nearest := a.c.Pick(j, n, a.c.Far)
	if a.chose = false; nearest == AnyPlace {
		return a.c.Nearest(j, n, a.c.Far, CauseWaited)
	}
	r, now := a.of.Of(j), a.c.Now
	o := MapOffer{
		Job: j.ID, Node: n.ID, Nearest: nearest, Urgent: a.c.Order.Urgent(j, Map), Waiting: walk(&j.Work[Map].Placed), Refused: r.count, Waited: r.waited(now),
	}
	if a.chooser != nil {
		return a.choose(j, n, o)
	}
	l := a.part.Farthest(a.c.View(), o)
	if l == AnyPlace {
		l = a.c.Far
	}
	return a.c.Nearest(j, n, min(max(l, NodeLocal), a.c.Far), CauseWaited)
}

// choose proposes the map that the chooser returns, at any level.
func (a *externalLocality) choose(j *Job, n *NodeState, o MapOffer) Proposal {
	m := a.chooser.Choose(a.c.View(), o)
	switch {
	case m < 0:
		return Proposal{Task: -1, Level: AnyPlace, Allowed: a.c.Far, Why: CauseWaiting}
	case int(m) >= len(j.Work[Map].Tasks) || !j.Work[Map].Placed.Has(m):
		panic(fmt.Sprintf("scheduling: the placement of maps %q chose map %d of %v, which does not wait to be launched", a.name, m, j.ID))
	}
	a.chose = true
	return Proposal{Task: m, Level: a.c.Level(j, m, n), Allowed: a.c.Far, Why: CauseWaited}
}

func (a *externalLocality) Refused(j *Job) { a.of.Of(j).add(a.c.Now) }

func (a *externalLocality) Launched(j *Job, _ *NodeState, l Locality) {
	if l == NodeLocal {
		a.of.Remove(j)
	}
	if told, ok := a.part.(launcher); ok && a.chose {
		told.Launched(j.ID)
	}
}

func (a *externalLocality) Begin()      {}
func (a *externalLocality) Again() bool { return true }

func (a *externalLocality) Remove(j *Job) {
	a.of.Remove(j)
	forget(a.part, j.ID)
}

func (a *externalLocality) View(j *Job) (LocalityView, time.Duration) {
	of := a.of.Of(j)
	return LocalityView{Skips: of.count, Wait: of.waited(a.c.Now), Skipped: of.count > 0}, 0
}
