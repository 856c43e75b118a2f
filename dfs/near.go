package dfs

import "slices"

// Placed is a Source that knows which machines hold its bytes, such as a file of HDFS.
type Placed interface {
	Source
	// Hosts names the machines that hold at least half of the n bytes at off, those with the most
	// first; none if that is unknown.
	Hosts(off, n int64) []string
}

// hostsOf is where a source says that some of its bytes are.
func hostsOf(src Source, off, n int64) []string {
	if p, ok := src.(Placed); ok {
		return p.Hosts(off, n)
	}
	return nil
}

// near returns the live nodes that stand for machines, at most as many as a block has replicas: a node
// of a machine's name, else the next one in turn, the same whenever the machine is named again.
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
