package scheduling

import (
	"fmt"
	"time"
)

// askedLocality is a locality rule from outside. It counts for each job what a rule may want to
// know of its refusals.
type askedLocality struct {
	greedy
	name    string
	part    MapPlacement
	chooser MapChooser // part, if it is one
	chosen  int32      // by the chooser at the last offer; -1 for none
	of      []refusals // by index of the job, since its last map on its data
}

// unasked says that the chooser was not asked, since no map that waits has a place.
const unasked = -2

func newAskedLocality(c *Core, name string) (localityRule, error) {
	p, err := part(c.cfg.Parts.Maps, "placement of maps", name)
	chooser, _ := p.(MapChooser)
	return &askedLocality{greedy: greedy{c}, name: name, part: p, chooser: chooser}, err
}

func (a *askedLocality) add(j *job)    { a.of = roomFor(a.of, j.index) }
func (a *askedLocality) remove(j *job) { forget(a.part, j.id) }
func (a *askedLocality) counts() bool  { return true }

func (a *askedLocality) allowed(j *job, n *node) Locality {
	_, nearest := a.c.pick(j, n, a.c.far)
	if a.chosen = unasked; nearest == AnyPlace {
		return a.c.far
	}
	r, now := &a.of[j.index], a.c.now
	o := MapOffer{
		Job: j.id, Node: n.id, Nearest: nearest, Urgent: a.c.order.urgent(j, Map), Waiting: walk(&j.w[Map].placed), Refused: r.count, Waited: r.waited(now),
	}
	if a.chooser != nil {
		a.chosen = a.chooser.Choose(a.c.View(), o)
		if a.chosen >= 0 && (int(a.chosen) >= len(j.w[Map].tasks) || !j.w[Map].placed.Has(a.chosen)) {
			panic(fmt.Sprintf("scheduling: the placement of maps %q chose map %d of %v, which does not wait to be launched", a.name, a.chosen, j.id))
		}
		return a.c.far
	}
	l := a.part.Farthest(a.c.View(), o)
	if l == AnyPlace {
		return a.c.far
	}
	return min(max(l, NodeLocal), a.c.far)
}

// pick is the chooser's map, whatever the level.
func (a *askedLocality) pick(j *job, n *node, allowed Locality) (int32, Locality) {
	switch {
	case a.chooser == nil || a.chosen == unasked:
		return a.c.pick(j, n, allowed)
	case a.chosen < 0:
		return -1, AnyPlace
	}
	return a.chosen, a.c.level(j, a.chosen, n)
}

func (a *askedLocality) refused(j *job) { a.of[j.index].add(a.c.now) }

func (a *askedLocality) launched(j *job, l Locality) {
	if l == NodeLocal {
		a.of[j.index] = refusals{}
	}
	if told, ok := a.part.(launcher); ok && a.chosen >= 0 {
		told.Launched(j.id)
	}
}

func (a *askedLocality) why(j *job, l Locality) Reason {
	r := a.greedy.why(j, l)
	if r.Cause == CauseGreedy {
		of := &a.of[j.index]
		r = Reason{Cause: CauseWaited, Count: int32(of.count), Wait: of.waited(a.c.now)}
	}
	return r
}

func (a *askedLocality) waiting(j *job) (Reason, time.Duration) {
	of := &a.of[j.index]
	return Reason{Cause: CauseWaiting, Count: int32(of.count), Wait: of.waited(a.c.now)}, 0
}

func (a *askedLocality) view(j *job) LocalityView {
	of := &a.of[j.index]
	return LocalityView{Skips: of.count, Wait: of.waited(a.c.now), Skipped: of.count > 0}
}

func (a *askedLocality) took(former localityRule) {
	if old, ok := former.(*askedLocality); ok && old.name == a.name {
		a.of = old.of
	}
}
