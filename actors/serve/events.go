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

// broker keeps the last events of the cluster in a ring. Each reader reads from the ring at its own
// pace; the cluster, which adds events, never waits for readers.
type broker struct {
	mu           sync.Mutex
	ring         []*line
	droppedState *clusterstate.State[*line] // the state after the events that the ring has dropped
	next         uint64                     // number of the next event; they count from 1
	wake         chan struct{}              // closed when an event arrives; nil if nobody waits
	maxStreams   int                        // maximum number of streams
	streams      int
	beats        chan struct{}    // see beat; nil if nobody waits
	batches      map[uint64]batch // by the number of their first event
	counts       map[event.Type]int64
	local        [clusterstate.Places]int64 // launched maps, by locality
}

// line is an event, formatted when it is first needed.
type line struct {
	number     uint64
	change     clusterstate.Change // what the event changes in the state of the cluster
	once       sync.Once
	event      actors.Event // cleared once it is formatted
	frameBytes []byte       // see frame
	data       []byte       // the JSON in framed
}

func newBroker(ring, streams int) *broker {
	return &broker{
		ring: make([]*line, ring), droppedState: clusterstate.New[*line](), next: 1, maxStreams: streams, counts: map[event.Type]int64{},
		batches: map[uint64]batch{},
	}
}

// frame returns the event as this process's streams send it, with its ID.
func (l *line) frame(boot string) []byte {
	l.once.Do(func() {
		b := fmt.Appendf(nil, "id: %s-%d\nevent: %s\ndata: ", boot, l.number, l.change.Type)
		from := len(b)
		b = l.event.AppendJSON(b)
		to := len(b)
		l.frameBytes = append(b, "\n\n"...)
		l.data = l.frameBytes[from:to]
		l.event = actors.Event{}
	})
	return l.frameBytes
}

// text returns the event as JSON.
func (l *line) text(boot string) []byte {
	l.frame(boot)
	return l.data
}

// add appends an event to the ring and wakes waiting readers.
func (b *broker) add(e actors.Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	at := &b.ring[b.next%uint64(len(b.ring))]
	if *at != nil {
		b.addDropped(*at)
	}
	l := &line{number: b.next, change: clusterstate.Of(&e), event: e}
	*at = l
	b.next++
	b.counts[e.Type]++
	if e.Type == event.Launched && l.change.Kind == scheduling.Map {
		b.local[l.change.Near]++
	}
	if b.wake != nil {
		close(b.wake)
		b.wake = nil
	}
}

// addDropped adds a dropped event to the state of dropped events, which forgets jobs that have
// ended.
func (b *broker) addDropped(l *line) {
	if l.change.Job == 0 || l.change.Type == event.Submitted || b.droppedState.Has(l.change.Job) {
		b.droppedState.Add(&l.change, l)
	}
	if l.change.Type == event.Finished {
		b.droppedState.Forget(l.change.Job)
	}
}

// read returns at most max events from number on, and how many before them were dropped. If there
// are none yet, it returns a channel that is closed when one arrives.
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

// attach admits a stream, or returns false if there are too many.
func (b *broker) attach() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.streams >= b.maxStreams {
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

// figures returns the counts of events, launched maps by locality, and streams.
func (b *broker) figures() (counts map[event.Type]int64, local [clusterstate.Places]int64, streams int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return maps.Clone(b.counts), b.local, b.streams
}
