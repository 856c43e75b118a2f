package serve

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/event"
)

// broker keeps the last events of the cluster in a ring. Each reader reads from the ring at its own
// pace; the cluster, which adds events, never waits for readers.
type broker struct {
	boot       string // identifies this process in the IDs of events
	maxStreams int    // maximum of streams
	streams    atomic.Int64

	mu      sync.Mutex
	ring    []*line
	dropped droppedState
	next    uint64           // number of the next event; they count from 1
	wake    chan struct{}    // closed when an event arrives; nil if nobody waits
	beats   chan struct{}    // see beat; nil if nobody waits
	batches map[uint64]batch // by the number of their first event
	counts  map[event.Type]int64
	local   [len(distances)]int64 // launched maps
}

// line is an event, formatted when it is first needed.
type line struct {
	number uint64
	change
	once       sync.Once
	event      actors.Event // cleared once it is formatted
	frameBytes []byte       // see broker.frame
	data       []byte       // the JSON in frameBytes
}

func newBroker(boot string, ring, streams int) *broker {
	return &broker{
		boot: boot, maxStreams: streams, ring: make([]*line, ring), next: 1, counts: map[event.Type]int64{}, batches: map[uint64]batch{},
		dropped: droppedState{jobs: map[scheduling.JobID]*droppedJob{}, latest: latest{}},
	}
}

// frame returns the event as this process's streams send it, with its ID.
func (b *broker) frame(l *line) []byte {
	l.once.Do(func() {
		text := fmt.Appendf(nil, "id: %s-%d\nevent: %s\ndata: ", b.boot, l.number, l.of)
		from := len(text)
		text = l.event.AppendJSON(text)
		to := len(text)
		l.frameBytes = append(text, "\n\n"...)
		l.data = l.frameBytes[from:to]
		l.event = actors.Event{}
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
	l := &line{number: b.next, change: changeBy(&e), event: e}
	*at = l
	b.next++
	b.counts[e.Type]++
	if e.Type == event.Launched && l.kind == scheduling.Map {
		b.local[l.near]++
	}
	if b.wake != nil {
		close(b.wake)
		b.wake = nil
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

// attach admits a stream, which must detach at its end, or returns false if there are too many.
func (b *broker) attach() bool {
	if b.streams.Add(1) <= int64(b.maxStreams) {
		return true
	}
	b.detach()
	return false
}

func (b *broker) detach() { b.streams.Add(-1) }

// figures returns the counts of events and launched maps by locality.
func (b *broker) figures() (counts map[event.Type]int64, local [len(distances)]int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return maps.Clone(b.counts), b.local
}

// batch is a run of consecutive events as sent to streams. Its text must not be changed.
type batch struct {
	next    uint64 // number of the event after it
	text    []byte
	hasMore bool // more events may follow
}

const (
	batchEvents = 1024 // maximum number of events in a batch
	maxBatches  = 4    // maximum number of cached batches: most readers need the latest one, and slow readers an older one
)

// batch is like read, but returns as one text the events that keep accepts. A nil keep accepts all
// events; readers at one position then share the text.
func (b *broker) batch(number uint64, keep func(*line) bool) (some batch, missed uint64, wait <-chan struct{}) {
	if keep == nil {
		b.mu.Lock()
		some, known := b.batches[number]
		b.mu.Unlock()
		if known {
			return some, 0, nil
		}
	}
	list, missed, wait := b.read(number, batchEvents)
	some.next, some.hasMore = number+missed, len(list) == batchEvents
	for _, l := range list {
		some.next = l.number + 1
		if keep == nil || keep(l) {
			some.text = append(some.text, b.frame(l)...)
		}
	}
	if keep == nil && missed == 0 && len(list) > 0 {
		b.cache(number, some)
	}
	return some, missed, wait
}

// cache stores a batch and evicts the one with the smallest first event.
func (b *broker) cache(number uint64, some batch) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.batches[number] = some
	if len(b.batches) <= maxBatches {
		return
	}
	first := number
	for n := range b.batches {
		first = min(first, n)
	}
	delete(b.batches, first)
}

// beat returns a channel that is closed when streams that are up to date may send again. All send
// at the same time, so that they share one batch. The interval grows with the number of streams,
// because each costs the cluster's machine a write.
func (b *broker) beat() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.beats == nil {
		beats := make(chan struct{})
		b.beats = beats
		time.AfterFunc(min(max(streamEvery, time.Duration(b.streams.Load())*streamShare), streamMost), func() {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.beats = nil
			close(beats)
		})
	}
	return b.beats
}

// snapshot returns the state before the ring's oldest event, and the number of that event.
func (b *broker) snapshot() (holding []*line, sums []counts, oldest uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	holding, sums = b.dropped.snapshot()
	return holding, sums, max(b.next, uint64(len(b.ring))+1) - uint64(len(b.ring))
}

// writeSnapshot sends the state before the oldest event in the ring and returns that event's
// number. Its first event makes a reader discard all earlier ones.
func (s *Server) writeSnapshot(out *bufio.Writer) (next uint64) {
	holding, sums, oldest := s.events.snapshot()
	_, _ = fmt.Fprintf(out, "event: missed\ndata: {\"missed\":%d}\n\n", oldest-1)
	for _, l := range holding {
		s.events.frame(l)
		_, _ = fmt.Fprintf(out, "event: %s\ndata: %s\n\n", l.of, l.data)
	}
	for i := range sums {
		text, _ := json.Marshal(&sums[i]) // numbers cannot fail
		_, _ = fmt.Fprintf(out, "event: counts\ndata: %s\n\n", text)
	}
	return oldest
}
