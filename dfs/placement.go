package dfs

import (
	"encoding/binary"

	"github.com/cespare/xxhash/v2"
)

// place chooses up to n live nodes for the replicas of a block, the usual way: the
// writer's node, then a node of another rack, then another node of that second rack,
// then wherever. Within each step the node that holds the fewest bytes is taken, and
// for a first replica without a writer the node with the fewest first replicas (by
// bytes held one rack would get two replicas of every block and stay the fuller); a
// hash of the seed, the block and the node breaks ties, so that the same calls place
// the same way and blocks spread evenly.
//
// Nodes in held have a replica already and are not chosen again; they count as the
// first choices, which is how a block is healed.
func (ns *namespace) place(id BlockID, writer NodeID, n int, held []*node) []*node {
	chosen := append([]*node(nil), held...)
	for len(chosen) < len(held)+n {
		next := ns.pick(id, chosen, ns.wanted(writer, chosen))
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

// wanted returns what the next replica's node should satisfy after those in chosen.
func (ns *namespace) wanted(writer NodeID, chosen []*node) func(*node) bool {
	switch len(chosen) {
	case 0:
		return func(d *node) bool { return d.id == writer }
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

// pick returns the least loaded live node among those that satisfy ok and are
// not chosen, or nil.
func (ns *namespace) pick(id BlockID, chosen []*node, ok func(*node) bool) *node {
	var best *node
	var bestLoad int64
	var bestTie uint64
next:
	for _, d := range ns.nodes {
		if !d.alive || !ok(d) {
			continue
		}
		for _, c := range chosen {
			if c == d {
				continue next
			}
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
