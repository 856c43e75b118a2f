package netmodel

import (
	"math"
	"slices"
	"time"
)

// Flow is the number of a transfer in progress. Numbers stay small: Start reuses stopped flows'.
type Flow = int32

// flow is a transfer in progress. Its rate changes when other flows start or stop.
type flow struct {
	links [5]int32 // sender up, rack up, rack down, receiver down, disk; -1 if the path has none
	limit float64  // maximum rate in bytes per second; +Inf means no limit
	rate  float64
	left  float64       // remaining bytes at time since
	since time.Duration // when rate was set
	ends  time.Duration
	choke int32 // the link that bounds its rate; -1: its own limit does
	pos   int32 // index in Network.ending; -1: not there
	owner int32 // number that the caller gave it
}

// Config describes the links.
type Config struct {
	RackOf           []int32       // rack of each node, from 0; not kept
	NodeLink         float64       // bytes per second of each node's link in each direction; positive
	Oversubscription float64       // sum of a rack's node links divided by its uplink; at least 1
	Grain            time.Duration // flows end at multiples of Grain; up to 1 ns: exactly

	// Links and Uplinks are the rates of the nodes' and racks' links that differ from those above,
	// in bytes per second in each direction. A nil slice, and each 0 in one, keeps the value above.
	Links, Uplinks []float64
	// Disks is the rate of each node's disk for all its readers, in bytes per second. nil means
	// that disks limit nothing.
	Disks []float64
}

// Network shares links among flows max-min fairly: no flow can get more without reducing one that
// has at most as much. Start and Stop change the set of flows; Resolve then computes the new rates,
// once for all changes of an instant.
type Network struct {
	rackOf []int32
	grain  time.Duration
	cap    []float64 // by link: 2n and 2n+1 are node n up and down, then the racks likewise, then the disks
	disks  int32     // number of the first disk's link
	on     [][]Flow  // flows by link
	flows  []flow
	free   []Flow
	ending []Flow  // heap of live flows by end
	dirty  []int32 // links whose set of flows changed
	isDirt []bool

	fill filling // scratch of Resolve
}

// New returns a network without flows.
func New(c Config) *Network {
	w := &Network{rackOf: slices.Clone(c.RackOf), grain: max(1, c.Grain)}
	nodes := len(c.RackOf)
	sizes := make([]int, slices.Max(c.RackOf)+1)
	for _, r := range c.RackOf {
		sizes[r]++
	}
	w.cap = slices.Repeat([]float64{c.NodeLink}, 2*nodes)
	more := make([]float64, len(sizes)) // by rack: what its nodes' Links add to len × NodeLink
	for v, link := range c.Links {
		if link > 0 {
			w.cap[2*v], w.cap[2*v+1] = link, link
			more[c.RackOf[v]] += link - c.NodeLink
		}
	}
	for r, size := range sizes {
		up := (c.NodeLink*float64(size) + more[r]) / c.Oversubscription
		if c.Uplinks != nil && c.Uplinks[r] > 0 {
			up = c.Uplinks[r]
		}
		w.cap = append(w.cap, up, up)
	}
	w.disks = int32(len(w.cap))
	w.cap = append(w.cap, c.Disks...)
	w.on = make([][]Flow, len(w.cap))
	w.isDirt = make([]bool, len(w.cap))
	w.fill.init(len(w.cap))
	return w
}

// Start adds a flow of this many bytes between two different nodes, with a maximum rate of limit
// bytes per second. owner is a number of the caller's choice; see Owner.
func (w *Network) Start(now time.Duration, from, to int32, bytes, limit float64, owner int32) Flow {
	return w.start(now, w.path(from, to), bytes, limit, owner)
}

// Read is like Start, but the bytes also cross the disk of node from, if Config.Disks is set. If
// both nodes are equal, the flow uses no link of the network.
func (w *Network) Read(now time.Duration, from, to int32, bytes, limit float64, owner int32) Flow {
	links := [5]int32{-1, -1, -1, -1, -1}
	if from != to {
		links = w.path(from, to)
	}
	if int(w.disks) < len(w.cap) {
		links[4] = w.disks + from
	}
	return w.start(now, links, bytes, limit, owner)
}

// path returns the links that a flow between two nodes crosses, in the order of flow.links.
func (w *Network) path(from, to int32) [5]int32 {
	links := [5]int32{2 * from, -1, -1, 2*to + 1, -1}
	if a, b := w.rackOf[from], w.rackOf[to]; a != b {
		base := int32(2 * len(w.rackOf))
		links[1], links[2] = base+2*a, base+2*b+1
	}
	return links
}

// start adds a flow over links. The next Resolve computes its rate and end.
func (w *Network) start(now time.Duration, links [5]int32, bytes, limit float64, owner int32) Flow {
	var f Flow
	if k := len(w.free) - 1; k >= 0 {
		f, w.free = w.free[k], w.free[:k]
	} else {
		f = Flow(len(w.flows))
		w.flows = append(w.flows, flow{})
	}
	w.flows[f] = flow{
		links: links, limit: limit, left: bytes, since: now, ends: math.MaxInt64, choke: -1, pos: -1,
		owner: owner,
	}
	for _, l := range links {
		if l >= 0 {
			w.on[l] = append(w.on[l], f)
			w.touch(l)
		}
	}
	w.enqueue(f)
	return f
}

// Stop removes a flow, whether or not all its bytes have been sent. Start may reuse its number.
func (w *Network) Stop(f Flow) {
	for _, l := range w.flows[f].links {
		if l < 0 {
			continue
		}
		k := slices.Index(w.on[l], f)
		last := len(w.on[l]) - 1
		w.on[l][k] = w.on[l][last]
		w.on[l] = w.on[l][:last]
		w.touch(l)
	}
	w.dequeue(f)
	w.free = append(w.free, f)
}

// Next returns the flow that ends first and its end; ok is false without flows. Among equal ends,
// the smallest number wins. It ignores rate changes by a Start or Stop since the last Resolve.
func (w *Network) Next() (f Flow, at time.Duration, ok bool) {
	if len(w.ending) == 0 || w.flows[w.ending[0]].ends == math.MaxInt64 {
		return 0, 0, false
	}
	return w.ending[0], w.flows[w.ending[0]].ends, true
}

// Changed reports whether a flow has been started or stopped since the last Resolve.
func (w *Network) Changed() bool { return len(w.dirty) > 0 }

// Left returns the remaining bytes of a flow.
func (w *Network) Left(f Flow, now time.Duration) float64 {
	x := &w.flows[f]
	return max(0, x.left-float64(x.rate*(now-x.since).Seconds()))
}

// Owner returns the owner passed to Start.
func (w *Network) Owner(f Flow) int32 { return w.flows[f].owner }

// Sender returns the source node of a flow between two nodes.
func (w *Network) Sender(f Flow) int32 { return w.flows[f].links[0] / 2 }

// Traffic returns the total rates of flows between nodes and of those between racks, in bytes per
// second. busiest is the used fraction of the fullest link or disk. All are as of the last Resolve.
func (w *Network) Traffic() (nodes, racks, busiest float64) {
	n := len(w.rackOf)
	for l, on := range w.on {
		sum := 0.0
		for _, f := range on {
			sum += w.flows[f].rate
		}
		switch {
		case l < 2*n && l%2 == 0:
			nodes += sum
		case l >= 2*n && l < int(w.disks) && l%2 == 0:
			racks += sum
		}
		busiest = max(busiest, sum/w.cap[l])
	}
	return nodes, racks, min(busiest, 1)
}

// From lists the flows from a node, in order of their numbers.
func (w *Network) From(node int32) []Flow { return slices.Sorted(slices.Values(w.on[2*node])) }

// setRate gives a flow a rate from now on, and computes when the flow then ends.
func (w *Network) setRate(now time.Duration, f Flow, rate float64) {
	x := &w.flows[f]
	if x.rate == rate && x.ends != math.MaxInt64 {
		return
	}
	x.left = w.Left(f, now)
	x.rate, x.since = rate, now
	x.ends = math.MaxInt64
	if rate > 0 {
		if span := math.Ceil(x.left / rate * 1e9); span < 1e18 {
			x.ends = (now + time.Duration(span) + w.grain - 1) / w.grain * w.grain
		}
	}
	w.enqueue(f)
}

// touch makes the next Resolve recompute the flows on a link.
func (w *Network) touch(l int32) {
	if !w.isDirt[l] {
		w.isDirt[l] = true
		w.dirty = append(w.dirty, l)
	}
}
