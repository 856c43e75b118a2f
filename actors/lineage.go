package actors

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
)

// lineage is a dataset whatever its type, with what it takes to make it again.
type lineage struct {
	cluster *Cluster
	kept    *cluster.KeptParts
	again   func() (*mapreduce.Plan, error) // binds the job to fill what is lost
	turn    chan struct{}                   // has a token while somebody restores it
}

func newLineage(c *Cluster) *lineage { return &lineage{cluster: c, turn: make(chan struct{}, 1)} }

func (l *lineage) options() cluster.KeptOptions {
	e := l.cluster.env
	return cluster.KeptOptions{
		Name: fmt.Sprintf("dataset %d", e.datasets.number()), Owner: l,
		Pool: e.buffers, Spills: e.spills, SpillDir: e.cfg.SpillDir,
	}
}

// fill runs the job for the first time. After an error nothing is left.
func (l *lineage) fill(ctx context.Context, bind func() (*mapreduce.Plan, error)) error {
	err := l.cluster.env.datasets.add(l)
	if err == nil {
		err = l.cluster.runBound(ctx, bind, false)
	}
	if err == nil {
		err = l.restore(ctx) // of nodes that died meanwhile
	}
	if err != nil {
		l.release()
	}
	return err
}

// restore makes lost parts again.
func (l *lineage) restore(ctx context.Context) error {
	select {
	case l.turn <- struct{}{}:
	case <-ctx.Done():
		return ending(ctx)
	}
	defer func() { <-l.turn }()
	for try := 1; ; try++ {
		lost := l.kept.Lost()
		if len(lost) == 0 {
			return nil
		}
		err := l.cluster.runBound(ctx, l.again, true)
		if err == nil && try == l.cluster.env.cfg.MaxAttempts {
			err = fmt.Errorf("%w, each time it was made again", mapreduce.ErrPartLost)
		}
		if err != nil {
			return fmt.Errorf("actors: %s: part %d is to be made again: %w", l.kept.Name(), lost[0], err)
		}
	}
}

func (l *lineage) release() {
	l.cluster.env.datasets.remove(l)
	l.kept.Release()
}

// datasets are those of a cluster that are not released.
type datasets struct {
	mu     sync.Mutex
	made   int
	live   map[*lineage]bool
	closed bool
}

func (s *datasets) number() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.made++
	return s.made
}

func (s *datasets) add(l *lineage) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	if s.live == nil {
		s.live = map[*lineage]bool{}
	}
	s.live[l] = true
	return nil
}

func (s *datasets) remove(l *lineage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.live, l)
}

// lose gives up what lay on a node.
func (s *datasets) lose(node string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for l := range s.live {
		l.kept.Lose(node)
	}
}

// close releases all.
func (s *datasets) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for l := range s.live {
		l.kept.Release()
	}
	clear(s.live)
}

// runBound binds a job and runs it to its end, and does so again if parts of what it reads were
// lost meanwhile. With revive set it may read what is released.
func (c *Cluster) runBound(ctx context.Context, bind func() (*mapreduce.Plan, error), revive bool) error {
	for try := 1; ; try++ {
		if ctx.Err() != nil {
			return ending(ctx)
		}
		plan, err := bind()
		if err != nil {
			return err
		}
		job, err := c.submitHolding(ctx, plan, SubmitOptions{}, revive)
		if err == nil {
			_, err = job.WaitOrKill(ctx)
		}
		if !errors.Is(err, mapreduce.ErrPartLost) || ctx.Err() != nil || try == c.env.cfg.MaxAttempts {
			return err
		}
	}
}

// holdInput has the datasets that a plan reads stay until its job ends, with all their parts.
func (c *Cluster) holdInput(ctx context.Context, p *mapreduce.Plan, revive bool) error {
	for _, k := range p.Kept() {
		if l, ok := k.Owner().(*lineage); ok && l.cluster != c {
			return fmt.Errorf("actors: job %q reads %s, which is of another cluster", p.Name(), k.Name())
		}
	}
	if err := p.Hold(revive); err != nil {
		return fmt.Errorf("actors: job %q: %w", p.Name(), err)
	}
	for _, k := range p.Kept() {
		if l, ok := k.Owner().(*lineage); ok {
			if err := l.restore(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}
