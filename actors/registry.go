package actors

import (
	"sync"
	"time"

	"github.com/tarry-mr/tarry/scheduling"
)

// registry knows the jobs that run and the last that ended. It is safe for concurrent
// use.
type registry struct {
	history int

	mu      sync.Mutex
	running []*run // in order of submission
	ended   []JobSummary
	idle    chan struct{} // closed when nothing runs; nil if nobody waits
}

// JobSummary is one line about a job.
type JobSummary struct {
	ID        scheduling.JobID
	Name      string
	User      string
	State     scheduling.JobState
	Submitted time.Duration // since the cluster's start
	Elapsed   time.Duration // so far, or in all
}

func (g *registry) add(r *run) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.running = append(g.running, r)
}

// retire moves an ended run to the history and tells who waits for it, at once for all that ask: a job
// whose Wait has returned is not listed as running, and one that runs no more has its result.
func (g *registry) retire(r *run) {
	g.mu.Lock()
	defer g.mu.Unlock()
	close(r.done)
	kept := g.running[:0]
	for _, x := range g.running {
		if x != r {
			kept = append(kept, x)
		}
	}
	clear(g.running[len(kept):])
	g.running = kept
	if g.history > 0 {
		if len(g.ended) == g.history {
			copy(g.ended, g.ended[1:])
			g.ended = g.ended[:len(g.ended)-1]
		}
		g.ended = append(g.ended, JobSummary{
			ID: r.id, Name: r.name, User: r.user, State: r.result.State, Submitted: r.submitted, Elapsed: r.result.Elapsed,
		})
	}
	if len(kept) == 0 && g.idle != nil {
		close(g.idle)
		g.idle = nil
	}
}

// runs lists what runs.
func (g *registry) runs() []*run {
	g.mu.Lock()
	defer g.mu.Unlock()
	return append([]*run(nil), g.running...)
}

// whenIdle returns a channel that is closed once nothing runs.
func (g *registry) whenIdle() <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.running) == 0 {
		idle := make(chan struct{})
		close(idle)
		return idle
	}
	if g.idle == nil {
		g.idle = make(chan struct{})
	}
	return g.idle
}

// Jobs lists the jobs that ended, as far as Config.History goes, in order of their end,
// then those that run, in order of submission.
func (c *Cluster) Jobs() []JobSummary {
	g := c.registry
	g.mu.Lock()
	defer g.mu.Unlock()
	list := append([]JobSummary(nil), g.ended...)
	for _, r := range g.running {
		list = append(list, JobSummary{
			ID: r.id, Name: r.name, User: r.user, State: scheduling.JobRunning,
			Submitted: r.submitted, Elapsed: c.env.now() - r.submitted,
		})
	}
	return list
}
