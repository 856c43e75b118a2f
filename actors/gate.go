package actors

import (
	"context"
	"sync"
	"sync/atomic"
)

// gate holds an attempt between two records or chunks while it is suspended. The zero
// gate is open.
type gate struct {
	shut atomic.Bool // what the attempt looks at, cheaply

	mu     sync.Mutex
	opened chan struct{} // closed when the gate opens; nil while open
	closes chan struct{} // closed when the gate shuts; nil if nobody looks at it
}

// hold shuts or opens the gate.
func (g *gate) hold(shut bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case shut && g.opened == nil:
		g.opened = make(chan struct{})
		if g.closes != nil {
			close(g.closes)
			g.closes = nil
		}
	case !shut && g.opened != nil:
		close(g.opened)
		g.opened = nil
	}
	g.shut.Store(shut)
}

// shutting is a channel that is closed when the gate shuts; a closed one while it is shut.
func (g *gate) shutting() <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closes == nil {
		g.closes = make(chan struct{})
	}
	closes := g.closes
	if g.opened != nil {
		close(closes)
		g.closes = nil
	}
	return closes
}

// wait returns when the gate is open or ctx is done.
func (g *gate) wait(ctx context.Context) error {
	for {
		g.mu.Lock()
		opened := g.opened
		g.mu.Unlock()
		if opened == nil {
			return context.Cause(ctx)
		}
		select {
		case <-opened:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
