package scheduling

import "fmt"

// askedPlacement is a placement of reduces from outside.
type askedPlacement struct {
	anyNode
	name string
	part ReducePlacement
	of   []refusals // by index of the job, since its last launch of a reduce
}

func newAskedPlacement(c *Core, name string) (reduceRule, error) {
	p, err := part(c.cfg.Parts.Reduces, "placement of reduces", name)
	return &askedPlacement{anyNode: anyNode{c}, name: name, part: p}, err
}

func (a *askedPlacement) add(j *job)    { a.of = roomFor(a.of, j.index) }
func (a *askedPlacement) remove(j *job) { forget(a.part, j.id) }

// choose asks for a reduce of j to launch on n; below 0 for none.
func (a *askedPlacement) choose(j *job, n *node) int32 {
	of := &a.of[j.index]
	i := a.part.Place(a.c.View(), ReduceOffer{
		Job: j.id, Node: n.id, Waiting: walk(&j.w[Reduce].pending), Urgent: a.c.order.urgent(j, Reduce), Refused: of.count, Waited: of.waited(a.c.now),
	})
	if i >= 0 && (int(i) >= len(j.w[Reduce].tasks) || !j.w[Reduce].pending.Has(i)) {
		panic(fmt.Sprintf("scheduling: the placement of reduces %q chose reduce %d of %v, which does not wait to be launched", a.name, i, j.id))
	}
	return i
}

func (a *askedPlacement) accepts(j *job, n *node) bool { return a.choose(j, n) >= 0 }

func (a *askedPlacement) offer(j *job, n *node) bool {
	of := &a.of[j.index]
	i := a.choose(j, n)
	if i < 0 {
		of.add(a.c.now)
		return a.c.skip(j, n, Reduce, Reason{Cause: CausePlacementWait, Count: int32(of.count), Wait: of.waited(a.c.now)}, 0)
	}
	why := Reason{Cause: CausePlaced, Count: int32(of.count), Wait: of.waited(a.c.now)}
	*of = refusals{}
	a.c.launch(j, Reduce, a.c.selected(j, Reduce, n, i, AnyPlace), n, AnyPlace, why, nil)
	return true
}

func (a *askedPlacement) took(former reduceRule) {
	if old, ok := former.(*askedPlacement); ok && old.name == a.name {
		a.of = old.of
	}
}
