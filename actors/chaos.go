package actors

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/tarry-mr/tarry/scheduling"
)

// Chaos disturbs a cluster while it works, to show that it does its work all the same: nodes die or
// stop and come back, or are cordoned for a while, messages between machines are lost, late or
// doubled, attempts fail. What a job writes stays the same. Nodes die where there are three or more,
// one at a time, and all of it becomes less and less frequent, so that every job ends.
type Chaos struct {
	Seed uint64 // of what happens; when it meets which task is the clock's affair
	// Tell, if not nil, is called for each disturbance but those of single messages, one call at a
	// time. It must not call the Cluster.
	Tell func(what string)
}

const (
	firstDisturbance  = 200 * time.Millisecond // until the first disturbance, about
	disturbanceGrowth = 1.15                   // of the time to the next one
	downFor           = time.Second            // a node, about
	messageEvery      = 8                      // one message in messageEvery is dropped, delayed or doubled
	attemptEvery      = 8                      // one first attempt in attemptEvery fails
)

// errInjected is why attempts fail that chaos has chosen.
var errInjected = errors.New("actors: chaos has this attempt fail")

// chaosInjector carries a Chaos out. The methods of a nil one do nothing.
type chaosInjector struct {
	Chaos
	mu   sync.Mutex // guards rng, which delivery uses as well
	rng  *rand.Rand
	quit chan struct{}
	done chan struct{}
	once sync.Once
}

func newChaosInjector(c *Chaos) *chaosInjector {
	if c == nil {
		return nil
	}
	return &chaosInjector{Chaos: *c, rng: rand.New(rand.NewPCG(c.Seed, 23)), quit: make(chan struct{}), done: make(chan struct{})}
}

// below draws a number from 0 to n-1.
func (u *chaosInjector) below(n int) int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.rng.IntN(n)
}

// about draws a time from half of d to one and a half.
func (u *chaosInjector) about(d time.Duration) time.Duration {
	return d/2 + time.Duration(u.below(1_000_000))*d/1_000_000
}

// fails is the error of an attempt that is chosen to fail, by its name alone; its task is not blamed.
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

// deliver is a Config.deliver.
func (u *chaosInjector) deliver(msg any) []time.Duration {
	if !between(msg) || u.below(messageEvery) != 0 {
		return atOnce
	}
	late := u.about(50 * time.Millisecond)
	return [][]time.Duration{nil, {late}, {0, 0}, {0, late}}[u.below(4)]
}

var atOnce = []time.Duration{0}

// between tells whether a message goes from one machine to another: what a node and its own slots
// tell each other is not lost, nor is what the actors are told by timers and commands.
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
	case *nodeUp, *nodeLost, *reportBlocks, *blockReport, *copyBlock:
		return true
	}
	return false
}

// undo ends a disturbance.
type undo struct {
	at   time.Time
	what func()
}

// run disturbs c until end.
func (u *chaosInjector) run(c *Cluster) {
	defer close(u.done)
	var undos []undo
	gap := firstDisturbance
	next := time.Now().Add(u.about(gap))
	for {
		due := next
		if len(undos) > 0 && undos[0].at.Before(due) {
			due = undos[0].at
		}
		select {
		case <-u.quit:
			return
		case <-time.After(time.Until(due)):
		}
		if due != next {
			undos[0].what()
			undos = undos[1:]
			continue
		}
		if what := u.disturb(c, len(undos) > 0); what != nil {
			undos = append(undos, undo{time.Now().Add(u.about(downFor)), what})
		}
		gap = time.Duration(float64(gap) * disturbanceGrowth)
		next = time.Now().Add(u.about(gap))
	}
}

// disturb does something to a node and returns what ends it, nil if nothing happened. Of nodes that
// are disturbed at the same time at most one is down.
func (u *chaosInjector) disturb(c *Cluster, other bool) (end func()) {
	names := c.Nodes()
	name := names[u.below(len(names))]
	switch how := u.below(3); {
	case other || len(names) < 3 || how == 0:
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

// end ends the disturbances and waits until the last one is over.
func (u *chaosInjector) end() {
	if u == nil {
		return
	}
	u.once.Do(func() { close(u.quit) })
	<-u.done
}
