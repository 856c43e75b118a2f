package simulator

import (
	"math/rand/v2"
	"slices"
	"sort"

	"github.com/tarry-mr/tarry/scheduling"
)

// topology is the tree of nodes and racks.
type topology struct {
	rackOf []int32
	in     [][]int32 // by rack: its nodes, ascending
}

func newTopology(nodes []Machine) (t topology) {
	for i, m := range nodes {
		t.rackOf = append(t.rackOf, int32(m.Rack))
		if m.Rack == len(t.in) {
			t.in = append(t.in, nil)
		}
		t.in[m.Rack] = append(t.in[m.Rack], int32(i))
	}
	return t
}

// racks returns the number of racks.
func (t *topology) racks() int { return len(t.in) }

// size returns the number of nodes of a rack.
func (t *topology) size(rack int32) int { return len(t.in[rack]) }

// inTurn returns all nodes, racks in turn: the first node of each rack, then the second of each, …
func (t *topology) inTurn() []int32 {
	var list []int32
	for k := 0; len(list) < len(t.rackOf); k++ {
		for _, nodes := range t.in {
			if k < len(nodes) {
				list = append(list, nodes[k])
			}
		}
	}
	return list
}

// placeBlocks places the replicas of n blocks as HDFS does: the first on a random node, the second
// in another rack, the third in the rack of the second, further ones anywhere, never two on one
// node. With a single rack all are anywhere.
func (t *topology) placeBlocks(r *rand.Rand, n, replicas int) scheduling.Places {
	replicas = min(replicas, len(t.rackOf))
	p := scheduling.Places{Offsets: make([]int32, n+1), Nodes: make([]scheduling.NodeID, 0, n*replicas)}
	for b := range n {
		start := len(p.Nodes)
		for k := range replicas {
			p.Nodes = append(p.Nodes, t.replica(r, p.Nodes[start:], k))
		}
		p.Offsets[b+1] = int32(len(p.Nodes))
	}
	return p
}

// placeInRacks places the replicas of block b on random nodes of rack racks[b], modulo the number
// of racks. A block has at most as many replicas as its rack has nodes.
func (t *topology) placeInRacks(r *rand.Rand, racks []int32, replicas int) scheduling.Places {
	p := scheduling.Places{Offsets: make([]int32, len(racks)+1)}
	for b, rack := range racks {
		rack %= int32(t.racks())
		nodes := r.Perm(t.size(rack))
		for _, k := range nodes[:min(replicas, len(nodes))] {
			p.Nodes = append(p.Nodes, scheduling.NodeID(t.in[rack][k]))
		}
		p.Offsets[b+1] = int32(len(p.Nodes))
	}
	return p
}

// replica chooses a node for replica k of a block, from 0; former are the nodes of the others.
func (t *topology) replica(r *rand.Rand, former []scheduling.NodeID, k int) scheduling.NodeID {
	nodes := int32(len(t.rackOf))
	for try := 0; ; try++ {
		v := scheduling.NodeID(r.Int32N(nodes))
		if try < 50 { // if the rack is full, any node is used
			switch {
			case k == 1 && t.racks() > 1:
				v = t.outside(r, t.rackOf[former[0]])
			case k == 2 && t.racks() > 1 && t.size(t.rackOf[former[1]]) > 1:
				rack := t.in[t.rackOf[former[1]]]
				v = scheduling.NodeID(rack[r.Int32N(int32(len(rack)))])
			}
		}
		if !slices.Contains(former, v) {
			return v
		}
	}
}

// outside returns a random node outside a rack.
func (t *topology) outside(r *rand.Rand, rack int32) scheduling.NodeID {
	in := t.in[rack]
	v := int(r.Int32N(int32(len(t.rackOf) - len(in)))) // among the nodes outside
	v += sort.Search(len(in), func(k int) bool { return int(in[k])-k > v })
	return scheduling.NodeID(v)
}

// distance returns the locality between two nodes.
func (t *topology) distance(a, b int32) scheduling.Locality {
	switch {
	case a == b:
		return scheduling.NodeLocal
	case t.rackOf[a] == t.rackOf[b]:
		return scheduling.RackLocal
	}
	return scheduling.OffRack
}
