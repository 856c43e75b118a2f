package actors

import (
	"cmp"

	"github.com/tarry-mr/tarry/scheduling"
)

// links are the capacities of an emulated network. Node n has links 2n, up, and 2n+1,
// down; the racks' uplinks follow in the same way.
type links struct {
	capacity []float64 // bytes a second
	rack     []int     // by node

	room  []float64 // scratch of fill
	count []int
}

// route is the links that a transfer crosses; -1 where it has none.
type route [4]int

func newLinks(c NetworkConfig, places []*place) links {
	racks := map[string]int{}
	var sizes []int
	l := links{rack: make([]int, len(places))}
	for i, p := range places {
		r, known := racks[p.rack]
		if !known {
			r = len(sizes)
			racks[p.rack] = r
			sizes = append(sizes, 0)
		}
		l.rack[i] = r
		sizes[r]++
	}
	link := c.NodeLink * cmp.Or(c.TimeScale, 1)
	for range 2 * len(places) {
		l.capacity = append(l.capacity, link)
	}
	for _, size := range sizes {
		up := link * float64(size) / cmp.Or(c.Oversubscription, 1)
		l.capacity = append(l.capacity, up, up)
	}
	l.room, l.count = make([]float64, len(l.capacity)), make([]int, len(l.capacity))
	return l
}

// between is the route from a node to another one.
func (l *links) between(from, to scheduling.NodeID) route {
	p := route{2 * int(from), -1, -1, 2*int(to) + 1}
	if a, b := l.rack[from], l.rack[to]; a != b {
		base := 2 * len(l.rack)
		p[1], p[2] = base+2*a, base+2*b+1
	}
	return p
}

// fill sets the flows' rates so that none can get more without taking from one that has
// no more than it: the link that gives its flows least fixes them, then the next one with
// what is left, and so on.
func (l *links) fill(flows []*flow) {
	copy(l.room, l.capacity)
	clear(l.count)
	for _, f := range flows {
		f.rate = 0
		for _, k := range f.route {
			if k >= 0 {
				l.count[k]++
			}
		}
	}
	for open := len(flows); open > 0; {
		tightest := l.tightest()
		rate := l.room[tightest] / float64(l.count[tightest])
		for _, f := range flows {
			if f.rate == 0 && f.route.crosses(tightest) {
				f.rate = rate
				l.take(f)
				open--
			}
		}
	}
}

// tightest is the link that gives the least to each of its open flows.
func (l *links) tightest() int {
	best := -1
	for k, n := range l.count {
		if n > 0 && (best < 0 || l.room[k]*float64(l.count[best]) < l.room[best]*float64(n)) {
			best = k
		}
	}
	return best
}

// take gives a flow its rate of all links on its route. Rounding must not eat up a link.
func (l *links) take(f *flow) {
	for _, k := range f.route {
		if k >= 0 {
			l.room[k] = max(l.room[k]-f.rate, l.capacity[k]*1e-12)
			l.count[k]--
		}
	}
}

func (r route) crosses(link int) bool {
	return r[0] == link || r[1] == link || r[2] == link || r[3] == link
}
