package actors

import (
	"context"
	"errors"
	"math"
	"sync"
	"time"

	"github.com/tarry-mr/tarry/scheduling"
)

// NetworkConfig describes the emulated network. The zero value turns it off: bytes between
// nodes, which are all in this process, then take no time.
//
// With it, a map that is not beside its data first waits as long as its split takes from
// the nearest replica, and a reduce as long as each segment takes, one after the other.
// All transfers under way share the links max-min fairly: each node's in both directions,
// and each rack's uplink. Output written and replicas made again cost nothing.
type NetworkConfig struct {
	// NodeLink is the capacity of a node's link in each direction, in bytes a second; 0
	// means no emulation.
	NodeLink float64

	// Oversubscription is the sum of a rack's node links over the capacity of its uplink;
	// 0 means 1.
	Oversubscription float64

	// TimeScale makes the network so many times faster, for runs in which all other times
	// are shortened alike; 0 means 1.
	TimeScale float64
}

// faults lists what is wrong.
func (c NetworkConfig) faults() []error {
	var list []error
	within := func(f, least float64) bool { return f == 0 || f >= least && f <= 1e15 }
	if !within(c.NodeLink, 1) {
		list = append(list, errors.New("actors: the emulated node link must have 1 to 1e15 bytes a second"))
	}
	if !within(c.Oversubscription, 1) {
		list = append(list, errors.New("actors: the over-subscription of the emulated network must be 1 or more"))
	}
	if !within(c.TimeScale, 1e-6) {
		list = append(list, errors.New("actors: the time scale of the emulated network must be positive"))
	}
	return list
}

// errCut is the error of a transfer from a node that went down.
var errCut = errors.New("actors: the sending node went down")

// network emulates the links of a cluster. A transfer is a flow; whenever one begins or
// ends, all rates are worked out anew and one timer is set to the next end.
type network struct {
	mu    sync.Mutex
	links links
	flows []*flow // in the order in which they began
	since time.Time
	timer *time.Timer
	gen   uint64 // of the timer
}

// flow is a transfer under way.
type flow struct {
	from  scheduling.NodeID
	route route
	rate  float64 // bytes a second since network.since
	left  float64 // bytes then
	over  chan struct{}
	cut   bool // before over is closed
}

// newNetwork is nil if the configuration turns the network off.
func newNetwork(c NetworkConfig, places []*place) *network {
	if c.NodeLink == 0 {
		return nil
	}
	return &network{links: newLinks(c, places)}
}

// carry blocks for as long as bytes take from a node to another. It returns what is left
// if hold is closed before, and errCut or the cause of ctx if that ends it.
func (n *network) carry(ctx context.Context, from, to scheduling.NodeID, bytes float64, hold <-chan struct{}) (left float64, err error) {
	f := &flow{from: from, route: n.links.between(from, to), left: bytes, over: make(chan struct{})}
	n.mu.Lock()
	n.advance()
	n.flows = append(n.flows, f)
	n.share()
	n.mu.Unlock()
	select {
	case <-f.over:
		if f.cut {
			return 0, errCut
		}
		return 0, nil
	case <-hold:
		return n.leave(f), nil
	case <-ctx.Done():
		n.leave(f)
		return 0, context.Cause(ctx)
	}
}

// leave takes a flow out and returns what it has left.
func (n *network) leave(f *flow) float64 {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.advance()
	n.end(func(g *flow) bool { return g == f })
	return max(f.left, 0)
}

// cut ends all flows from a node that went down.
func (n *network) cut(node scheduling.NodeID) {
	if n == nil {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.advance()
	n.end(func(f *flow) bool {
		f.cut = f.cut || f.from == node
		return f.cut
	})
}

// tick ends the flows that are due.
func (n *network) tick(gen uint64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if gen != n.gen {
		return
	}
	n.advance()
	n.end(func(f *flow) bool { return f.left <= f.rate*1e-9 }) // less than a nanosecond
}

// advance brings all flows up to now.
func (n *network) advance() {
	now := time.Now()
	if span := now.Sub(n.since).Seconds(); span > 0 {
		for _, f := range n.flows {
			f.left -= f.rate * span
		}
	}
	n.since = now
}

// end ends the flows that gone selects, and shares what they leave.
func (n *network) end(gone func(*flow) bool) {
	kept := n.flows[:0]
	for _, f := range n.flows {
		if gone(f) {
			close(f.over)
		} else {
			kept = append(kept, f)
		}
	}
	clear(n.flows[len(kept):])
	n.flows = kept
	n.share()
}

// share works out the rates and sets the timer.
func (n *network) share() {
	n.links.fill(n.flows)
	n.gen++
	if n.timer != nil {
		n.timer.Stop()
		n.timer = nil
	}
	first := math.Inf(1)
	for _, f := range n.flows {
		first = min(first, max(f.left, 0)/f.rate)
	}
	if len(n.flows) > 0 {
		gen := n.gen
		span := time.Duration(min(math.Ceil(first*1e9), math.MaxInt64/2))
		n.timer = time.AfterFunc(span, func() { n.tick(gen) })
	}
}
