package serve

import (
	"fmt"
	"maps"
	"sync"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/event"
)

// broker keeps the last events of the cluster for those who watch. Whoever watches reads at their
// own pace from the ring; the cluster, which puts events in, never waits for them.
type broker struct {
	mu      sync.Mutex
	ring    []*line
	gone    *digest       // of events that the ring had
	next    uint64        // number of the next event; they count from 1
	wake    chan struct{} // closed when an event comes; nil: nobody waits
	most    int           // of the streams
	streams int
	beats   chan struct{}    // see beat; nil: nobody waits
	batches map[uint64]batch // by the number of their first event
	counts  map[event.Type]int64
	local   [4]int64 // launched maps: node-local, rack-local, elsewhere, without location
}

// line is an event, made text when it is first wanted.
type line struct {
	number  uint64
	kind    event.Type
	job     scheduling.JobID // 0 if it is about none
	attempt scheduling.AttemptID
	near    scheduling.Locality
	key     key
	once    sync.Once
	event   actors.Event // until it is text
	framed  []byte       // see frame
	data    []byte       // the part of it that is JSON
}

func newBroker(ring, streams int) *broker {
	return &broker{
		ring: make([]*line, ring), gone: newDigest(), next: 1, most: streams, counts: map[event.Type]int64{},
		batches: map[uint64]batch{},
	}
}

// frame is the event as streams of this process send it, with its number.
func (l *line) frame(boot string) []byte {
	l.once.Do(func() {
		b := fmt.Appendf(nil, "id: %s-%d\nevent: %s\ndata: ", boot, l.number, l.kind)
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

// job is the job that an event is about; 0 if none.
func jobOfEvent(e *actors.Event) scheduling.JobID {
	if e.JobID != 0 {
		return e.JobID
	}
	return e.Attempt.Task.Job
}

// add takes an event in.
func (b *broker) add(e actors.Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	at := &b.ring[b.next%uint64(len(b.ring))]
	if *at != nil {
		b.gone.add(*at)
	}
	*at = &line{
		number: b.next, kind: e.Type, job: jobOfEvent(&e), attempt: e.Attempt, near: e.Locality, key: keyOf(&e), event: e,
	}
	b.next++
	b.counts[e.Type]++
	if e.Type == event.Launched && e.Attempt.Task.Kind == scheduling.Map {
		b.local[localityColumn(e.Locality)]++
	}
	if b.wake != nil {
		close(b.wake)
		b.wake = nil
	}
}

func localityColumn(l scheduling.Locality) int {
	switch l {
	case scheduling.NodeLocal:
		return 0
	case scheduling.RackLocal:
		return 1
	case scheduling.AnyPlace:
		return 3
	default:
		return 2
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

// begin gives what leads to the state before the ring's oldest event, and the number of that.
func (b *broker) begin() (before []*line, sums []counts, oldest uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	before, sums = b.gone.all()
	return before, sums, max(b.next, uint64(len(b.ring))+1) - uint64(len(b.ring))
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
func (b *broker) figures() (counts map[event.Type]int64, local [4]int64, streams int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return maps.Clone(b.counts), b.local, b.streams
}
