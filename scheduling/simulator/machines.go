package simulator

import (
	"cmp"

	"github.com/tarry-mr/tarry/internal/netmodel"
)

// size returns the number of nodes.
func (cl *Cluster) size() int {
	if n := len(cl.Machines); n > 0 {
		return n
	}
	return cl.Nodes
}

// slots returns the total number of map and of reduce slots; defaults must be filled in.
func (cl *Cluster) slots() (all [2]int) {
	for _, m := range cl.Machines {
		all[0] += m.MapSlots
		all[1] += m.ReduceSlots
	}
	return all
}

func (cl *Cluster) validateMachines(f *checker, nw *Network) {
	f.Check(len(cl.Machines) <= maxNodes, "%d nodes, at most %d", len(cl.Machines), maxNodes)
	racks, slots := 0, 0
	for i, m := range cl.Machines[:min(len(cl.Machines), maxNodes)] {
		f.Check(0 <= m.Rack && m.Rack <= racks, "node %d in rack %d: racks are numbered from 0, as they first appear", i, m.Rack)
		f.Check(m.MapSlots >= 0 && m.MapSlots <= maxNodeSlots, "%d map slots of node %d, want 0 to %d", m.MapSlots, i, maxNodeSlots)
		f.Check(m.ReduceSlots >= 0 && m.ReduceSlots <= maxNodeSlots, "%d reduce slots of node %d, want 0 to %d", m.ReduceSlots, i, maxNodeSlots)
		f.within("slowness of a node", m.Slow, 1/maxFactor, maxFactor)
		f.within("link of a node", m.Link, minRate, maxRate)
		f.within("disk of a node", m.Disk, minRate, maxRate)
		f.Check(m.Disk == 0 || nw.Flows, "the disk of node %d is shared only where transfers are flows", i)
		racks, slots = max(racks, m.Rack+1), slots+m.MapSlots+m.ReduceSlots
	}
	if len(cl.Machines) > 0 {
		f.Check(cl.Nodes == 0 || cl.Nodes == len(cl.Machines), "%d nodes, but %d machines", cl.Nodes, len(cl.Machines))
		f.Check(slots > 0, "no node has a slot")
		f.Check(len(nw.Uplinks) == 0 || len(nw.Uplinks) == racks, "%d uplinks for %d racks", len(nw.Uplinks), racks)
	}
}

// network returns the model of the cluster's links and shared disks, for flows, and whether a disk
// is shared.
func (c *Config) network(rackOf []int32) (w *netmodel.Network, disks bool) {
	nw := &c.Network
	out := netmodel.Config{
		RackOf: rackOf, NodeLink: nw.NodeLink, Oversubscription: nw.Oversubscription, Grain: nw.Grain, Uplinks: nw.Uplinks,
	}
	for _, m := range c.Cluster.Machines {
		disk := cmp.Or(m.Disk, nw.Disk)
		disks = disks || disk > 0
		out.Links, out.Disks = append(out.Links, m.Link), append(out.Disks, cmp.Or(disk, maxRate)) // no limit
	}
	if !disks {
		out.Disks = nil
	}
	return netmodel.New(out), disks
}
