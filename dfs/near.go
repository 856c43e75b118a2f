package dfs

import "slices"

// Located is a Source that knows which machines store its bytes, such as a file in HDFS.
type Located interface {
	Source
	// Hosts returns the machines that store at least half of the n bytes at off, those with the
	// most bytes first, or none if unknown.
	Hosts(off, n int64) []string
}

// HostsOf returns the machines that store the n bytes at off of a source, see [Located], or none if
// unknown.
func HostsOf(src Source, off, n int64) []string {
	if p, ok := src.(Located); ok {
		return p.Hosts(off, n)
	}
	return nil
}

// near returns the live nodes that represent machines, at most as many as a block has replicas. A
// machine is represented by the node of the same name, otherwise by the next node in turn, which
// then represents it from now on.
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
