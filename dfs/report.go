package dfs

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Report is a node's report of its store. If Full, Have are all its replicas; otherwise Have and
// Gone are those added and removed since its last report.
type Report struct {
	Node NodeID
	Full bool
	Have []BlockID
	Gone []BlockID // unused when Full
}

// report applies a node's report and brings a lost node back. It returns the blocks that the node
// must delete: those of no file, and replicas beyond the wanted number.
func (ns *namespace) report(r Report) (unwanted []BlockID, err error) {
	d := ns.byID[r.Node]
	if d == nil {
		return nil, fmt.Errorf("%w: %v", ErrUnknownNode, r.Node)
	}
	d.alive = true
	if r.Full {
		r.Gone = ns.missing(d, r.Have)
	}
	for _, id := range r.Have {
		if !ns.received(d, id) {
			unwanted = append(unwanted, id)
		}
	}
	for _, id := range r.Gone {
		ns.vanished(d, id)
	}
	return unwanted, nil
}

// missing lists the blocks that a full report of d should have but lacks. They are those that d
// held, and those already expected at its last full report, since the order to copy may be lost. A
// copy ordered since then may still be in progress.
func (ns *namespace) missing(d *node, have []BlockID) []BlockID {
	reported := make(map[BlockID]bool, len(have))
	for _, id := range have {
		reported[id] = true
	}
	var gone []BlockID
	late := map[BlockID]bool{}
	for id, b := range ns.blocks {
		switch placed := slices.Contains(b.placed, d); {
		case reported[id]:
		case d.holds[id], placed && d.missing[id]:
			gone = append(gone, id)
		case placed:
			late[id] = true
		}
	}
	d.missing = late
	return gone
}

// received records that d has a replica of id; it returns false if d must delete that replica.
func (ns *namespace) received(d *node, id BlockID) bool {
	b := ns.blocks[id]
	if b == nil {
		return false
	}
	if d.holds[id] {
		return true
	}
	if i := slices.Index(b.placed, d); i >= 0 {
		b.placed = slices.Delete(b.placed, i, i+1)
	} else {
		d.load += b.length
	}
	if len(b.replicas) >= ns.replication { // not needed: a returned node has brought one
		d.load -= b.length
		return false
	}
	d.holds[id] = true
	at, _ := slices.BinarySearchFunc(b.replicas, d, byIndex)
	b.replicas = slices.Insert(b.replicas, at, d)
	return true
}

// vanished records that d has no replica of id and will not get one.
func (ns *namespace) vanished(d *node, id BlockID) {
	b := ns.blocks[id]
	if b == nil {
		return
	}
	if i := slices.Index(b.placed, d); i >= 0 {
		b.placed = slices.Delete(b.placed, i, i+1)
		d.load -= b.length
		ns.degraded = true
	}
	if d.holds[id] {
		i := slices.Index(b.replicas, d)
		b.replicas = slices.Delete(b.replicas, i, i+1)
		delete(d.holds, id)
		d.load -= b.length
		ns.degraded = true
	}
}

// lose marks a node as dead: no replica that it has or should get counts any more.
func (ns *namespace) lose(d *node) {
	d.alive = false
	for id := range ns.blocks {
		ns.vanished(d, id)
	}
}

// good returns the number of replicas; MaxInt if all nodes can read the bytes of a Source.
func (b *block) good() int {
	if b.local != nil {
		return math.MaxInt
	}
	return len(b.replicas)
}

func byIndex(a, b *node) int { return cmp.Compare(a.index, b.index) }

// Copy is one replica to create: of a block, on a node.
type Copy struct {
	Block  BlockID
	To     NodeID
	Length int64 // bytes to move
}

// heal plans the copies that give every block its number of replicas, as far as there are live
// nodes, and expects reports of them. Blocks with the fewest replicas come first, since one more
// loss may destroy them.
func (ns *namespace) heal() []Copy {
	if !ns.degraded {
		return nil
	}
	ns.degraded = false
	ids := make([]BlockID, 0, len(ns.blocks))
	for id := range ns.blocks {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(x, y BlockID) int {
		return cmp.Or(cmp.Compare(ns.blocks[x].good(), ns.blocks[y].good()), cmp.Compare(x, y))
	})
	var plan []Copy
	for _, id := range ids {
		b := ns.blocks[id]
		lacks := ns.replication - len(b.replicas) - len(b.placed)
		if lacks <= 0 {
			continue
		}
		if len(b.replicas) == 0 && b.local == nil {
			ns.degraded = true // no live replica now, but a returning node may have one
			continue
		}
		held := slices.Concat(b.replicas, b.placed)
		targets := ns.place(id, lacks, held)
		for _, d := range targets {
			d.load += b.length
			plan = append(plan, Copy{Block: id, To: d.id, Length: b.length})
		}
		b.placed = append(b.placed, targets...)
		if len(targets) < lacks {
			ns.degraded = true
		}
	}
	return plan
}
