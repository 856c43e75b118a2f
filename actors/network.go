package actors

import (
	"cmp"
	"context"
	"errors"
	"math"
	"sync"
	"time"

	"github.com/tarry-mr/tarry/internal/netmodel"
	"github.com/tarry-mr/tarry/scheduling"
)

// NetworkConfig describes the emulated network. The zero value turns it off: then transfers between
// nodes, which are all in this process, take no time.
//
// With it, a map that is not node-local first waits for its split to arrive from the nearest
// replica, and a reduce waits for each segment, one after the other. Concurrent transfers share the
// links max-min fairly: each node's link in each direction, and each rack's uplink. Writing output
// and re-creating replicas cost nothing.
type NetworkConfig struct {
	// NodeLink is the capacity of a node's link in each direction, in bytes per second; 0 means no
	// emulation.
	NodeLink float64

	// Oversubscription is the sum of a rack's node links divided by the capacity of its uplink; 0
	// means 1.
	Oversubscription float64
}

// errCut is the error of a transfer from a node that went down.
var errCut = errors.New("actors: the sending node went down")

// network emulates the links of a cluster. Whenever a transfer begins or ends, the model recomputes
// all rates and one timer is set to the next end. The mutex guards everything.
type network struct {
	mu        sync.Mutex
	model     *netmodel.Network
	began     time.Time // time 0 of the model
	transfers map[netmodel.Flow]*transfer
	timer     *time.Timer
}

// transfer is a transfer in progress; remaining and cut are set before over is closed.
type transfer struct {
	over      chan struct{}
	remaining float64 // bytes
	cut       bool    // the sending node went down
}

// newNetwork returns the network of nodes that are spread round robin over racks, or nil if the
// configuration turns it off.
func newNetwork(c NetworkConfig, nodes, racks int) *network {
	if c.NodeLink == 0 {
		return nil
	}
	rackOf := make([]int32, nodes)
	for i := range rackOf {
		rackOf[i] = int32(i % racks)
	}
	return &network{
		model: netmodel.New(netmodel.Config{
			RackOf: rackOf, NodeLink: c.NodeLink, Oversubscription: cmp.Or(c.Oversubscription, 1),
		}),
		began: time.Now(), transfers: map[netmodel.Flow]*transfer{},
	}
}

// carry blocks for as long as the transfer of bytes takes. If hold is closed first, it returns the
// bytes not yet sent; if the transfer is cut or ctx ends, errCut or ctx's cause.
func (n *network) carry(
	ctx context.Context, from, to scheduling.NodeID, bytes float64, hold <-chan struct{},
) (left float64, err error) {
	t := &transfer{over: make(chan struct{})}
	n.mu.Lock()
	f := n.model.Start(n.now(), int32(from), int32(to), bytes, math.Inf(1), 0)
	n.transfers[f] = t
	n.share()
	n.mu.Unlock()
	select {
	case <-t.over:
		if t.cut {
			return 0, errCut
		}
		return 0, nil
	case <-hold:
		return n.leave(f, t), nil
	case <-ctx.Done():
		n.leave(f, t)
		return 0, context.Cause(ctx)
	}
}

// leave ends a transfer, if it is not over yet, and returns the bytes not yet sent.
func (n *network) leave(f netmodel.Flow, t *transfer) float64 {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.transfers[f] == t {
		n.end(f)
		n.share()
	}
	return t.remaining
}

// cut ends all transfers from a node that went down.
func (n *network) cut(node scheduling.NodeID) {
	if n == nil {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, f := range n.model.From(int32(node)) {
		n.transfers[f].cut = true
		n.end(f)
	}
	n.share()
}

// tick, called by the timer, ends the transfers that are complete.
func (n *network) tick() {
	n.mu.Lock()
	defer n.mu.Unlock()
	now := n.now()
	for f, at, ok := n.model.Next(); ok && at <= now; f, at, ok = n.model.Next() {
		n.end(f)
	}
	n.share()
}

func (n *network) now() time.Duration { return time.Since(n.began) }

// end removes a transfer and wakes its carry.
func (n *network) end(f netmodel.Flow) {
	t := n.transfers[f]
	t.remaining = n.model.Left(f, n.now())
	n.model.Stop(f)
	delete(n.transfers, f)
	close(t.over)
}

// share recomputes the rates of all transfers and sets the timer to the next end.
func (n *network) share() {
	n.model.Resolve(n.now())
	if n.timer != nil {
		n.timer.Stop()
		n.timer = nil
	}
	if _, at, ok := n.model.Next(); ok {
		n.timer = time.AfterFunc(at-n.now(), n.tick)
	}
}
