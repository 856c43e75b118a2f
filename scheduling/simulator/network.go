package simulator

import (
	"math"
	"slices"
	"time"
)

// flow is a transfer in progress. Its rate changes whenever the flows around it do.
type flow struct {
	links [4]int32 // sender up, rack up, rack down, receiver down; -1 where the path has none
	limit float64  // bytes a second that it never exceeds; +Inf means no limit
	rate  float64
	left  float64       // bytes, at since
	since time.Duration // when rate was set
	ends  time.Duration
	choke int32 // the link that bounds its rate, or -1: its own limit
	pos   int32 // in network.ending, -1: not there
	owner int32 // attempt record
	from  int32 // node
	live  bool
}

// network shares links among flows max-min fairly: no flow can get more without taking from one
// that has no more than it.
//
// Links are numbered 2n and 2n+1 for node n up and down, then 2N+2r and 2N+2r+1 for rack r up and
// down. Changes are collected and resolve works out the new rates once an instant.
type network struct {
	top    *topology
	grain  time.Duration // flows end at its multiples; 1 ns is exact
	cap    []float64
	on     [][]int32 // flows by link
	flows  []flow
	free   []int32
	ending []int32 // heap of live flows by end
	dirty  []int32 // links whose set of flows changed
	isDirt []bool

	fill filling // scratch of resolve
}

func newNetwork(top *topology, c *Network) *network {
	nodes := len(top.rackOf)
	w := &network{top: top, grain: max(1, c.Grain), cap: make([]float64, 2*nodes+2*top.racks())}
	for l := range w.cap {
		w.cap[l] = c.NodeLink
		if l >= 2*nodes {
			w.cap[l] = c.NodeLink * float64(top.size(int32(l-2*nodes)/2)) / c.Oversubscription
		}
	}
	w.on = make([][]int32, len(w.cap))
	w.isDirt = make([]bool, len(w.cap))
	w.fill.init(len(w.cap))
	return w
}

// start adds a flow of bytes between two different nodes and returns its index.
func (w *network) start(now time.Duration, from, to int32, bytes, limit float64, owner int32) int32 {
	links := [4]int32{2 * from, -1, -1, 2*to + 1}
	if a, b := w.top.rackOf[from], w.top.rackOf[to]; a != b {
		base := int32(2 * len(w.top.rackOf))
		links[1], links[2] = base+2*a, base+2*b+1
	}
	var f int32
	if k := len(w.free) - 1; k >= 0 {
		f, w.free = w.free[k], w.free[:k]
	} else {
		f = int32(len(w.flows))
		w.flows = append(w.flows, flow{})
	}
	w.flows[f] = flow{links: links, limit: limit, left: bytes, since: now, ends: math.MaxInt64, choke: -1, pos: -1, owner: owner, from: from, live: true}
	for _, l := range links {
		if l >= 0 {
			w.on[l] = append(w.on[l], f)
			w.touch(l)
		}
	}
	w.place(f)
	return f
}

// stop takes a flow out, ended or not.
func (w *network) stop(f int32) {
	x := &w.flows[f]
	for _, l := range x.links {
		if l < 0 {
			continue
		}
		k := slices.Index(w.on[l], f)
		last := len(w.on[l]) - 1
		w.on[l][k] = w.on[l][last]
		w.on[l] = w.on[l][:last]
		w.touch(l)
	}
	w.unplace(f)
	x.live = false
	w.free = append(w.free, f)
}

// touch notes that a link's flows changed.
func (w *network) touch(l int32) {
	if !w.isDirt[l] {
		w.isDirt[l] = true
		w.dirty = append(w.dirty, l)
	}
}

// next is the earliest end of a flow; ok is false if there is none.
func (w *network) next() (f int32, at time.Duration, ok bool) {
	if len(w.ending) == 0 || w.flows[w.ending[0]].ends == math.MaxInt64 {
		return 0, 0, false
	}
	return w.ending[0], w.flows[w.ending[0]].ends, true
}

// setRate gives a flow a new rate from now on.
func (w *network) setRate(now time.Duration, f int32, rate float64) {
	x := &w.flows[f]
	if x.rate == rate && x.ends != math.MaxInt64 {
		return
	}
	x.left = max(0, x.left-float64(x.rate*(now-x.since).Seconds()))
	x.rate, x.since = rate, now
	x.ends = math.MaxInt64
	if rate > 0 {
		if span := math.Ceil(x.left / rate * 1e9); span < 1e18 {
			x.ends = (now + time.Duration(span) + w.grain - 1) / w.grain * w.grain
		}
	}
	w.place(f)
}

// place puts a flow where its end belongs in the heap.
func (w *network) place(f int32) {
	if w.flows[f].pos < 0 {
		w.flows[f].pos = int32(len(w.ending))
		w.ending = append(w.ending, f)
	}
	i := w.up(int(w.flows[f].pos))
	w.down(i)
}

// unplace takes a flow out of the heap.
func (w *network) unplace(f int32) {
	i, last := int(w.flows[f].pos), len(w.ending)-1
	w.flows[f].pos = -1
	moved := w.ending[last]
	w.ending = w.ending[:last]
	if i < last {
		w.ending[i] = moved
		w.flows[moved].pos = int32(i)
		w.down(w.up(i))
	}
}

// earlier orders flows by end, then index.
func (w *network) earlier(a, b int32) bool {
	x, y := w.flows[a].ends, w.flows[b].ends
	return x < y || x == y && a < b
}

func (w *network) up(i int) int {
	for i > 0 {
		parent := (i - 1) / 2
		if !w.earlier(w.ending[i], w.ending[parent]) {
			break
		}
		w.swap(i, parent)
		i = parent
	}
	return i
}

func (w *network) down(i int) {
	for {
		c := 2*i + 1
		if c >= len(w.ending) {
			return
		}
		if c+1 < len(w.ending) && w.earlier(w.ending[c+1], w.ending[c]) {
			c++
		}
		if !w.earlier(w.ending[c], w.ending[i]) {
			return
		}
		w.swap(i, c)
		i = c
	}
}

func (w *network) swap(i, k int) {
	w.ending[i], w.ending[k] = w.ending[k], w.ending[i]
	w.flows[w.ending[i]].pos, w.flows[w.ending[k]].pos = int32(i), int32(k)
}
