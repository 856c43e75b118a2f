package scheduling

import "time"

// askedLocality is a locality rule from outside. It counts for each job what a rule may want to
// know of its refusals.
type askedLocality struct {
	greedy
	name string
	part MapPlacement
	of   []refusals // by index of the job, since its last map on its data
}

func newAskedLocality(c *Core, name string) (localityRule, error) {
	p, err := part(c.cfg.Parts.Maps, "placement of maps", name)
	return &askedLocality{greedy: greedy{c}, name: name, part: p}, err
}

func (a *askedLocality) add(j *job)    { a.of = roomFor(a.of, j.index) }
func (a *askedLocality) remove(j *job) { forget(a.part, j.id) }
func (a *askedLocality) counts() bool  { return true }

func (a *askedLocality) allowed(j *job, n *node) Locality {
	_, nearest := a.c.pick(j, n, a.c.far)
	if nearest == AnyPlace {
		return a.c.far
	}
	r, now := &a.of[j.index], a.c.now
	l := a.part.Farthest(a.c.View(), MapOffer{
		Job: j.id, Node: n.id, Nearest: nearest, Urgent: a.c.order.urgent(j, Map), Refused: r.count, Waited: r.waited(now),
	})
	if l == AnyPlace {
		return a.c.far
	}
	return min(max(l, NodeLocal), a.c.far)
}

func (a *askedLocality) refused(j *job) { a.of[j.index].add(a.c.now) }

func (a *askedLocality) launched(j *job, l Locality) {
	if l == NodeLocal {
		a.of[j.index] = refusals{}
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
