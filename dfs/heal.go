package dfs

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Up says that a node is alive: the replicas on its disk count, except those of removed files or
// beyond the wanted number, which Up deletes. Copies that the node has not made yet are planned
// once more, since the node may not have received their orders.
func (f *FS) Up(id NodeID) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	d, err := f.node(id)
	if err != nil {
		return err
	}
	f.ns.forgetOrders(d)
	d.alive = true
	for id := range d.disk {
		b := f.ns.blocks[id]
		switch {
		case b != nil && slices.Contains(b.replicas, d):
		case b != nil && len(b.replicas) < f.ns.replication:
			b.insert(d)
			d.load += b.length
		default:
			delete(d.disk, id)
		}
	}
	return nil
}

// Lose marks a node as lost: its replicas do not count until it is up. If wipe is set, its disk is
// erased.
func (f *FS) Lose(id NodeID, wipe bool) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	d, err := f.node(id)
	if err != nil {
		return err
	}
	d.alive = false
	f.ns.forgetOrders(d)
	for id := range d.disk {
		if b := f.ns.blocks[id]; b != nil {
			b.replicas = f.ns.without(d, b, b.replicas)
		}
	}
	if wipe {
		clear(d.disk)
	}
	return nil
}

// node returns a node. The caller holds mu.
func (f *FS) node(id NodeID) (*node, error) {
	d := f.ns.byID[id]
	if d == nil {
		return nil, fmt.Errorf("%w: %v", ErrUnknownNode, id)
	}
	return d, nil
}

// forgetOrders cancels the copies that d is to make.
func (ns *namespace) forgetOrders(d *node) {
	for _, b := range ns.blocks {
		b.ordered = ns.without(d, b, b.ordered)
	}
}

// without removes d from list, the replicas or the ordered copies of b.
func (ns *namespace) without(d *node, b *block, list []*node) []*node {
	i := slices.Index(list, d)
	if i < 0 {
		return list
	}
	d.load -= b.length
	ns.degraded = true
	return slices.Delete(list, i, i+1)
}

// Copy is one replica to create: of a block, on a node.
type Copy struct {
	Block  BlockID
	To     NodeID
	Length int64 // bytes to move
}

// PlanHeal orders copies that give every block its number of replicas, as far as there are live
// nodes. Blocks with the fewest replicas come first, since one more loss may destroy them. The
// caller must pass each copy to Copy. If nothing was lost since the last plan, it returns nil at
// once.
func (f *FS) PlanHeal() []Copy {
	f.mu.Lock()
	defer f.mu.Unlock()
	ns := f.ns
	if !ns.degraded {
		return nil
	}
	ns.degraded = false
	list := make([]*block, 0, len(ns.blocks))
	for _, b := range ns.blocks {
		list = append(list, b)
	}
	slices.SortFunc(list, func(x, y *block) int { return cmp.Or(cmp.Compare(x.good(), y.good()), cmp.Compare(x.id, y.id)) })
	var plan []Copy
	for _, b := range list {
		lacks := ns.replication - len(b.replicas) - len(b.ordered)
		if lacks <= 0 {
			continue
		}
		if b.missing() != nil {
			ns.degraded = true // a node that comes back may have it
			continue
		}
		targets := ns.place(b.id, lacks, slices.Concat(b.replicas, b.ordered))
		for _, d := range targets {
			d.load += b.length
			plan = append(plan, Copy{Block: b.id, To: d.id, Length: b.length})
		}
		b.ordered = append(b.ordered, targets...)
		if len(targets) < lacks {
			ns.degraded = true
		}
	}
	return plan
}

// good returns the number of replicas; MaxInt if all nodes can read the bytes of a Source.
func (b *block) good() int {
	if b.local != nil {
		return math.MaxInt
	}
	return len(b.replicas)
}

// Copy creates one planned replica. If the replica that it copies is corrupt, it drops that one and
// tries another; if none is left, it returns ErrNoReplica. It does not make a copy that is no
// longer wanted.
func (f *FS) Copy(c Copy) error {
	var good *extent
	err := f.fromReplica(c.Block, func(e *extent) error {
		good = e
		return e.verify()
	})
	f.mu.Lock()
	defer f.mu.Unlock()
	b, d := f.ns.blocks[c.Block], f.ns.byID[c.To]
	if b == nil || !slices.Contains(b.ordered, d) {
		return nil
	}
	if err != nil {
		err = fmt.Errorf("copy %v to %v: %w", c.Block, c.To, err)
	}
	if err != nil || len(b.replicas) == f.ns.replication {
		b.ordered = f.ns.without(d, b, b.ordered)
		return err
	}
	b.ordered = slices.DeleteFunc(b.ordered, func(other *node) bool { return other == d })
	b.insert(d)
	d.disk[b.id] = good
	return nil
}
