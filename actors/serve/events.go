package serve

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

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

// batch is a run of consecutive events as sent to all streams without a filter. It is formatted
// once for all readers at the same position and must not be changed.
type batch struct {
	next    uint64 // number of the event after it
	text    []byte
	hasMore bool // more events may follow
}

const (
	batchEvents = 1024 // maximum number of events in a batch
	maxBatches  = 4    // maximum number of cached batches: most readers need the latest one, and slow readers an older one
)

// batch is like read, but returns the events as one text, which readers at one position share.
func (b *broker) batch(number uint64, boot string) (some batch, missed uint64, wait <-chan struct{}) {
	b.mu.Lock()
	some, known := b.batches[number]
	b.mu.Unlock()
	if known {
		return some, 0, nil
	}
	list, missed, wait := b.read(number, batchEvents)
	some.next, some.hasMore = number+missed, len(list) == batchEvents
	for _, l := range list {
		some.text = append(some.text, l.frame(boot)...)
		some.next = l.number + 1
	}
	if missed == 0 && len(list) > 0 {
		b.keep(number, some)
	}
	return some, missed, wait
}

// keep caches a batch and evicts the one with the smallest first event.
func (b *broker) keep(number uint64, some batch) {
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
		time.AfterFunc(min(max(streamEvery, time.Duration(b.streams)*streamShare), streamMost), func() {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.beats = nil
			close(beats)
		})
	}
	return b.beats
}

// counts is an event that only a snapshot contains: what became of a job's tasks or, with job 0,
// where the maps of all jobs ran, before the first event that is sent individually. It excludes
// running attempts, because the snapshot contains their launch events.
type counts struct {
	Type   string                     `json:"type"`
	At     int64                      `json:"at"`
	Node   int                        `json:"node"`
	Job    scheduling.JobID           `json:"job,omitempty"`
	Done   [2]int64                   `json:"done"`
	Failed int64                      `json:"failed"`
	Killed int64                      `json:"killed"`
	Near   [clusterstate.Places]int64 `json:"near"`
}

// snapshot returns the state before the ring's oldest event, and the number of that event: the
// dropped events that still hold, in order, and the counts of each job and of all jobs.
func (b *broker) snapshot() (holding []*line, sums []counts, oldest uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	holding = slices.SortedFunc(b.droppedState.Holding(), func(x, y *line) int { return cmp.Compare(x.number, y.number) })
	all := counts{Type: "counts", Node: -1, Near: b.droppedState.Near}
	for j := range b.droppedState.Jobs() {
		one := counts{Type: "counts", Node: -1, Job: j.ID, Done: j.Done, Failed: j.Failed, Killed: j.Killed, Near: j.Near}
		for place, n := range j.Running() {
			one.Near[place] -= n
			all.Near[place] -= n
		}
		sums = append(sums, one)
	}
	return holding, append(sums, all), max(b.next, uint64(len(b.ring))+1) - uint64(len(b.ring))
}

// writeSnapshot sends the state before the oldest event in the ring and returns that event's
// number. Its first event makes a reader discard all earlier ones.
func (s *Server) writeSnapshot(out *bufio.Writer) (next uint64) {
	holding, sums, oldest := s.events.snapshot()
	_, _ = fmt.Fprintf(out, "event: missed\ndata: {\"missed\":%d}\n\n", oldest-1)
	for _, l := range holding {
		_, _ = fmt.Fprintf(out, "event: %s\ndata: %s\n\n", l.change.Type, l.text(s.boot))
	}
	for i := range sums {
		text, _ := json.Marshal(&sums[i]) // numbers cannot fail
		_, _ = fmt.Fprintf(out, "event: counts\ndata: %s\n\n", text)
	}
	return oldest
}
