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
}

// hold shuts or opens the gate.
func (g *gate) hold(shut bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case shut && g.opened == nil:
		g.opened = make(chan struct{})
	case !shut && g.opened != nil:
		close(g.opened)
		g.opened = nil
	}
	g.shut.Store(shut)
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
