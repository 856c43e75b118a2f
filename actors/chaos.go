package actors

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tarry-mr/tarry/scheduling"
)

// Chaos injects faults into a running cluster, to show that jobs survive them. Nodes die or stop
// and come back, or are cordoned for a while; messages between machines are dropped, delayed or
// duplicated; attempts fail. The output of jobs stays the same. Nodes die one at a time, and only
// in clusters of three or more nodes. Faults become less frequent with time, so that every job
// ends.
type Chaos struct {
	Seed uint64 // chooses the faults; which task they hit depends on timing
	// Tell, if not nil, is called for each fault except those of single messages. Calls do not
	// overlap. It must not call the Cluster.
	Tell func(what string)
}

const (
	firstDisturbance  = 200 * time.Millisecond // approximate time until the first fault
	disturbanceGrowth = 1.15                   // factor by which the time to the next fault grows
	downFor           = time.Second            // approximate time that a node is down
	messageEvery      = 8                      // one message in messageEvery is dropped, delayed or duplicated
	attemptEvery      = 8                      // one first attempt in attemptEvery fails
)

// errInjected is the error of attempts that chaos makes fail.
var errInjected = errors.New("actors: chaos has this attempt fail")

// chaosInjector injects the faults of a Chaos. All methods of a nil chaosInjector do nothing.
type chaosInjector struct {
	Chaos
	mu   sync.Mutex // guards rng, which deliver uses too
	rng  *rand.Rand
	ctx  context.Context // of run
	quit context.CancelFunc
	done chan struct{}
}

func newChaosInjector(c *Chaos) *chaosInjector {
	if c == nil {
		return nil
	}
	u := &chaosInjector{Chaos: *c, rng: rand.New(rand.NewPCG(c.Seed, 23)), done: make(chan struct{})}
	u.ctx, u.quit = context.WithCancel(context.Background())
	return u
}

// below returns a random number from 0 to n-1.
func (u *chaosInjector) below(n int) int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.rng.IntN(n)
}

// about returns a random duration between d/2 and 3d/2.
func (u *chaosInjector) about(d time.Duration) time.Duration {
	return d/2 + time.Duration(u.below(1_000_000))*d/1_000_000
}

// fails returns errInjected if the attempt is chosen to fail, otherwise nil. The choice depends on
// the seed and the attempt's ID only; the failure does not count against its task.
func (u *chaosInjector) fails(id scheduling.AttemptID) error {
	if u == nil || id.Try > 0 {
		return nil
	}
	of := rand.New(rand.NewPCG(u.Seed, uint64(id.Task.Job)<<33|uint64(id.Task.Kind)<<32|uint64(uint32(id.Task.Index))))
	if of.IntN(attemptEvery) != 0 {
		return nil
	}
	u.tell("attempt %v fails", id)
	return errInjected
}

func (u *chaosInjector) tell(format string, args ...any) {
	if u.Tell != nil {
		u.mu.Lock()
		defer u.mu.Unlock()
		u.Tell(fmt.Sprintf(format, args...))
	}
}

// deliver implements Config.deliver.
func (u *chaosInjector) deliver(msg any) []time.Duration {
	if !between(msg) || u.below(messageEvery) != 0 {
		return atOnce
	}
	late := u.about(50 * time.Millisecond)
	return [][]time.Duration{nil, {late}, {0, 0}, {0, late}}[u.below(4)]
}

var atOnce = []time.Duration{0}

// between reports whether a message travels between machines. Messages between a node and its own
// slots, and those of timers and commands, are never lost.
func between(msg any) bool { return withJobTracker(msg) || withNameNode(msg) }

func withJobTracker(msg any) bool {
	switch msg.(type) {
	case *join, *joined, *heartbeat, *heartbeatAck, *commitRequest, *commitAnswer, *poke:
		return true
	}
	return false
}

func withNameNode(msg any) bool {
	switch msg.(type) {
	case *nodeUp, *nodeLost, *copyBlock:
		return true
	}
	return false
}

// run injects faults into c until end is called.
func (u *chaosInjector) run(c *Cluster) {
	defer close(u.done)
	var faults sync.WaitGroup
	defer faults.Wait()
	var open atomic.Int32 // faults that have not ended
	for gap := firstDisturbance; u.wait(gap); gap = time.Duration(float64(gap) * disturbanceGrowth) {
		if end := u.disturb(c, open.Load() > 0); end != nil {
			open.Add(1)
			faults.Go(func() {
				defer open.Add(-1)
				if u.wait(downFor) {
					end()
				}
			})
		}
	}
}

// wait waits for about d; it returns false once end is called.
func (u *chaosInjector) wait(d time.Duration) bool {
	select {
	case <-u.ctx.Done():
		return false
	case <-time.After(u.about(d)):
		return true
	}
}

// disturb injects a fault into a random node and returns the function that ends it, or nil if
// nothing happened. If other is set, another fault has not ended: then it only cordons.
func (u *chaosInjector) disturb(c *Cluster, other bool) (end func()) {
	places := c.env.places
	name := places[u.below(len(places))].name
	switch how := u.below(3); {
	case other || len(places) < 3 || how == 0:
		if c.Cordon(name, true) != nil {
			return nil
		}
		u.tell("%s is cordoned", name)
		return func() {
			if c.Cordon(name, false) == nil {
				u.tell("%s is cordoned no more", name)
			}
		}
	case how == 1:
		if c.KillNode(name) != nil {
			return nil
		}
		u.tell("%s dies", name)
	default:
		if c.StopNode(name) != nil {
			return nil
		}
		u.tell("%s stops", name)
	}
	return func() {
		if c.StartNode(name) == nil {
			u.tell("%s is back", name)
		}
	}
}

// end stops injecting faults and waits until run has returned.
func (u *chaosInjector) end() {
	if u != nil {
		u.quit()
		<-u.done
	}
}
