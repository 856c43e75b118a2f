package serve

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"sync"
	"sync/atomic"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/event"
)

// broker keeps the last events of the cluster in a ring. Each reader reads from the ring at its own
// pace; the cluster, which adds events, never waits for readers.
type broker struct {
	boot    string // identifies this process in the IDs of events
	streams atomic.Int64

	mu      sync.Mutex
	ring    []*line
	dropped droppedState
	next    uint64        // number of the next event; they count from 1
	wake    chan struct{} // closed when an event arrives; nil if nobody waits
	counts  map[event.Type]int64
	local   [len(distances)]int64 // launched maps
}

// line is an event, formatted when it is first needed.
type line struct {
	actors.Event
	number     uint64
	once       sync.Once
	frameBytes []byte // see broker.frame
	head       int    // bytes of frameBytes before the type
}

// job returns the job that the event is about, or 0.
func (l *line) job() scheduling.JobID { return cmp.Or(l.Attempt.Task.Job, l.JobID) }

func newBroker(boot string, ring int) *broker {
	return &broker{
		boot: boot, ring: make([]*line, ring), next: 1, counts: map[event.Type]int64{},
		dropped: droppedState{0: newDroppedJob(0)},
	}
}

// frame returns the event as this process's streams send it, with its ID.
func (b *broker) frame(l *line) []byte {
	l.once.Do(func() {
		text := fmt.Appendf(nil, "id: %s-%d\n", b.boot, l.number)
		l.head = len(text)
		text = l.AppendJSON(fmt.Appendf(text, "event: %s\ndata: ", l.Type))
		l.frameBytes = append(text, "\n\n"...)
	})
	return l.frameBytes
}

// add appends an event to the ring and wakes waiting readers.
func (b *broker) add(e actors.Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	at := &b.ring[b.next%uint64(len(b.ring))]
	if *at != nil {
		b.dropped.add(*at)
	}
	l := &line{number: b.next, Event: e}
	*at = l
	b.next++
	b.counts[e.Type]++
	if at := l.distance(); at >= 0 {
		b.local[at]++
	}
	if b.wake != nil {
		close(b.wake)
		b.wake = nil
	}
}

// readMost is the maximum number of events that one call of read returns.
const readMost = 1024

// read returns events from number on, and how many before them were dropped. If there are none yet,
// it returns a channel that is closed when one arrives.
func (b *broker) read(number uint64) (list []*line, missed uint64, wait <-chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	oldest := b.oldest()
	if number < oldest {
		missed, number = oldest-number, oldest
	}
	for ; number < b.next && len(list) < readMost; number++ {
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

// oldest returns the number of the oldest event in the ring. The caller holds mu.
func (b *broker) oldest() uint64 {
	size := uint64(len(b.ring))
	return max(b.next, size+1) - size
}

// figures returns the counts of events and launched maps by locality.
func (b *broker) figures() (counts map[event.Type]int64, local [len(distances)]int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return maps.Clone(b.counts), b.local
}

// snapshot returns the state before the ring's oldest event, and the number of that event.
func (b *broker) snapshot() (holding []*line, sums []counts, oldest uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	holding, sums = b.dropped.snapshot()
	return holding, sums, b.oldest()
}

// writeSnapshot sends the state before the oldest event in the ring and returns that event's
// number. Its first event makes a reader discard all earlier ones.
func (s *Server) writeSnapshot(out *bufio.Writer) (next uint64) {
	holding, sums, oldest := s.events.snapshot()
	_, _ = fmt.Fprintf(out, "event: missed\ndata: {\"missed\":%d}\n\n", oldest-1)
	for _, l := range holding {
		_, _ = out.Write(s.events.frame(l)[l.head:])
	}
	for i := range sums {
		text, _ := json.Marshal(&sums[i]) // numbers cannot fail
		_, _ = fmt.Fprintf(out, "event: counts\ndata: %s\n\n", text)
	}
	return oldest
}
