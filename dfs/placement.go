package dfs

import (
	"encoding/binary"
	"slices"

	"github.com/cespare/xxhash/v2"
)

// place chooses up to n live nodes for the replicas of a block: any node, then one in another rack,
// then another node in that second rack, then any. In each step it takes the node with the fewest
// bytes. For a first replica it takes the node with the fewest first replicas; by bytes, one rack
// would get two replicas of every block and stay fuller. A hash of the seed, the block and the node
// breaks ties, so that the same calls give the same placement and blocks spread evenly.
//
// Nodes in held already have a replica and are not chosen again. They count as the first choices,
// so place also serves to heal a block.
func (ns *namespace) place(id BlockID, n int, held []*node) []*node {
	chosen := append([]*node(nil), held...)
	for len(chosen) < len(held)+n {
		next := ns.pick(id, chosen, wanted(chosen))
		if next == nil {
			next = ns.pick(id, chosen, func(*node) bool { return true })
		}
		if next == nil {
			break
		}
		chosen = append(chosen, next)
	}
	return chosen[len(held):]
}

// wanted returns the condition on the next replica's node, when those in chosen have one.
func wanted(chosen []*node) func(*node) bool {
	switch len(chosen) {
	case 1:
		return func(d *node) bool { return d.rack != chosen[0].rack }
	case 2:
		if chosen[0].rack == chosen[1].rack {
			return func(d *node) bool { return d.rack != chosen[0].rack }
		}
		return func(d *node) bool { return d.rack == chosen[1].rack }
	default:
		return func(*node) bool { return true }
	}
}

// pick returns the least loaded live node that satisfies ok and is not in chosen; nil if none does.
func (ns *namespace) pick(id BlockID, chosen []*node, ok func(*node) bool) *node {
	var best *node
	var bestLoad int64
	var bestTie uint64
	for _, d := range ns.nodes {
		if !d.alive || !ok(d) || slices.Contains(chosen, d) {
			continue
		}
		load := d.load
		if len(chosen) == 0 {
			load = d.firsts
		}
		if best != nil && load > bestLoad {
			continue
		}
		tie := ns.tie(id, d)
		if best == nil || load < bestLoad || tie < bestTie {
			best, bestLoad, bestTie = d, load, tie
		}
	}
	return best
}

func (ns *namespace) tie(id BlockID, d *node) uint64 {
	var b [24]byte
	binary.LittleEndian.PutUint64(b[0:], ns.seed)
	binary.LittleEndian.PutUint64(b[8:], uint64(id))
	binary.LittleEndian.PutUint64(b[16:], uint64(d.index))
	return xxhash.Sum64(b[:])
}

// near returns live nodes that represent the machines in hosts, at most one per replica of a block.
// A node represents the machine with its name. Any other machine gets the next node in turn, which
// then always represents it.
func (ns *namespace) near(hosts []string) (list []*node) {
	for _, host := range hosts {
		d := ns.byID[NodeID(host)]
		if d == nil {
			d = ns.standsFor[host]
		}
		if d == nil {
			d = ns.nodes[len(ns.standsFor)%len(ns.nodes)]
			ns.standsFor[host] = d
		}
		if d.alive && len(list) < ns.replication && !slices.Contains(list, d) {
			list = append(list, d)
		}
	}
	return list
}
