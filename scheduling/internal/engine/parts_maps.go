package engine

import (
	"fmt"
	"slices"
	"time"
)

// askedLocality is a placement of maps from outside. It counts for each job what such a placement
// may want to know of its refusals.
type askedLocality struct {
	c       *Core
	name    string
	part    MapPlacement
	chooser MapChooser // part, if it is one
	chose   bool       // the map last proposed
	of      records[refusals]
}

func newAskedLocality(c *Core, name string, former placement) (placement, error) {
	p, err := part(c.cfg.Parts.Maps, "placement of maps", name)
	chooser, _ := p.(MapChooser)
	a := &askedLocality{c: c, name: name, part: p, chooser: chooser}
	if old, ok := former.(*askedLocality); ok && old.name == name {
		a.of = slices.Clone(old.of)
	}
	return a, err
}

func (a *askedLocality) place(j *job, n *node) proposal {
	_, nearest := a.c.pick(j, n, a.c.far)
	if a.chose = false; nearest == AnyPlace {
		return a.c.nearest(j, n, a.c.far, CauseWaited)
	}
	r, now := a.of.of(j), a.c.now
	o := MapOffer{
		Job: j.id, Node: n.id, Nearest: nearest, Urgent: a.c.order.urgent(j, Map), Waiting: walk(&j.w[Map].placed), Refused: r.count, Waited: r.waited(now),
	}
	if a.chooser != nil {
		return a.choose(j, n, o)
	}
	l := a.part.Farthest(a.c.View(), o)
	if l == AnyPlace {
		l = a.c.far
	}
	return a.c.nearest(j, n, min(max(l, NodeLocal), a.c.far), CauseWaited)
}

// choose proposes the map that the chooser wants, whatever its level.
func (a *askedLocality) choose(j *job, n *node, o MapOffer) proposal {
	m := a.chooser.Choose(a.c.View(), o)
	switch {
	case m < 0:
		return proposal{task: -1, level: AnyPlace, allowed: a.c.far, why: CauseWaiting}
	case int(m) >= len(j.w[Map].tasks) || !j.w[Map].placed.Has(m):
		panic(fmt.Sprintf("scheduling: the placement of maps %q chose map %d of %v, which does not wait to be launched", a.name, m, j.id))
	}
	a.chose = true
	return proposal{task: m, level: a.c.level(j, m, n), allowed: a.c.far, why: CauseWaited}
}

func (a *askedLocality) refused(j *job) { a.of.of(j).add(a.c.now) }

func (a *askedLocality) launched(j *job, _ *node, l Locality) {
	if l == NodeLocal {
		a.of.remove(j)
	}
	if told, ok := a.part.(launcher); ok && a.chose {
		told.Launched(j.id)
	}
}

func (a *askedLocality) begin()      {}
func (a *askedLocality) again() bool { return true }

func (a *askedLocality) remove(j *job) {
	a.of.remove(j)
	forget(a.part, j.id)
}

func (a *askedLocality) view(j *job) (LocalityView, time.Duration) {
	of := a.of.of(j)
	return LocalityView{Skips: of.count, Wait: of.waited(a.c.now), Skipped: of.count > 0}, 0
}
