package dfs

import "slices"

// Located is a Source that knows which machines store its bytes, such as a file in HDFS.
type Located interface {
	Source
	// Hosts returns the machines that store at least half of the n bytes at off, those with the
	// most bytes first, or none if unknown.
	Hosts(off, n int64) []string
}

// HostsOf returns the machines that store the n bytes at off of src, as [Located] reports them; nil
// if src does not know.
func HostsOf(src Source, off, n int64) []string {
	if p, ok := src.(Located); ok {
		return p.Hosts(off, n)
	}
	return nil
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
