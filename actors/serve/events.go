package serve

import (
	"fmt"
	"maps"
	"sync"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/internal/clusterstate"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/event"
)

// broker keeps the last events of the cluster for those who watch. Whoever watches reads at their
// own pace from the ring; the cluster, which puts events in, never waits for them.
type broker struct {
	mu      sync.Mutex
	ring    []*line
	gone    *clusterstate.State[*line] // after the events that the ring has lost
	next    uint64                     // number of the next event; they count from 1
	wake    chan struct{}              // closed when an event comes; nil: nobody waits
	most    int                        // of the streams
	streams int
	beats   chan struct{}    // see beat; nil: nobody waits
	batches map[uint64]batch // by the number of their first event
	counts  map[event.Type]int64
	local   [clusterstate.Places]int64 // maps launched
}

// line is an event, made text when it is first wanted.
type line struct {
	number uint64
	is     clusterstate.Change
	once   sync.Once
	event  actors.Event // until it is text
	framed []byte       // see frame
	data   []byte       // the part of it that is JSON
}

func newBroker(ring, streams int) *broker {
	return &broker{
		ring: make([]*line, ring), gone: clusterstate.New[*line](), next: 1, most: streams, counts: map[event.Type]int64{},
		batches: map[uint64]batch{},
	}
}

// frame is the event as streams of this process send it, with its number.
func (l *line) frame(boot string) []byte {
	l.once.Do(func() {
		b := fmt.Appendf(nil, "id: %s-%d\nevent: %s\ndata: ", boot, l.number, l.is.Type)
		from := len(b)
		b = l.event.AppendJSON(b)
		to := len(b)
		l.framed = append(b, "\n\n"...)
		l.data = l.framed[from:to]
		l.event = actors.Event{}
	})
	return l.framed
}

// text is the event as JSON.
func (l *line) text(boot string) []byte {
	l.frame(boot)
	return l.data
}

// add takes an event in.
func (b *broker) add(e actors.Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	at := &b.ring[b.next%uint64(len(b.ring))]
	if *at != nil {
		b.lose(*at)
	}
	l := &line{number: b.next, is: clusterstate.Of(&e), event: e}
	*at = l
	b.next++
	b.counts[e.Type]++
	if e.Type == event.Launched && l.is.Kind == scheduling.Map {
		b.local[l.is.Near]++
	}
	if b.wake != nil {
		close(b.wake)
		b.wake = nil
	}
}

// lose has the state of what is gone take in an event. Of jobs that have ended it keeps nothing.
func (b *broker) lose(l *line) {
	if l.is.Job == 0 || l.is.Type == event.Submitted || b.gone.Has(l.is.Job) {
		b.gone.Add(&l.is, l)
	}
	if l.is.Type == event.Finished {
		b.gone.Forget(l.is.Job)
	}
}

// read gives events from number on, at most max, and how many there were before them that are gone;
// if there are none yet, a channel that is closed when one comes.
func (b *broker) read(number uint64, max int) (list []*line, missed uint64, wait <-chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	oldest := uint64(1)
	if size := uint64(len(b.ring)); b.next > size {
		oldest = b.next - size
	}
	if number < oldest {
		missed, number = oldest-number, oldest
	}
	for ; number < b.next && len(list) < max; number++ {
		list = append(list, b.ring[number%uint64(len(b.ring))])
	}
	if len(list) > 0 || missed > 0 {
		return list, missed, nil
	}
	if b.wake == nil {
		b.wake = make(chan struct{})
	}
	return nil, 0, b.wake
}

// attach lets a stream in; false if there are too many.
func (b *broker) attach() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.streams >= b.most {
		return false
	}
	b.streams++
	return true
}

func (b *broker) detach() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.streams--
}

// figures are those of metrics.
func (b *broker) figures() (counts map[event.Type]int64, local [clusterstate.Places]int64, streams int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return maps.Clone(b.counts), b.local, b.streams
}
