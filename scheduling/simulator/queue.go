package simulator

import (
	"fmt"
	"time"

	"github.com/tarry-mr/tarry/internal/heap"
)

// simEvent is a scheduled event. The kind determines the meaning of a and b. Events are values of
// 32 bytes without pointers: pushing and popping does not allocate, and the collector has nothing
// to follow.
type simEvent struct {
	at   time.Duration
	seq  uint64 // insertion number, given by queue.push
	kind eventKind
	a    int32
	b    int32
}

// before orders events by time, then by insertion [Mumak].
func (e *simEvent) before(o *simEvent) bool {
	return e.at < o.at || (e.at == o.at && e.seq < o.seq)
}

// queue yields events in order. Regular heartbeats are most of the events, and each is one interval
// after its predecessor, so that they come in order: they go to a list, all others to a heap.
type queue struct {
	heap  []simEvent
	beats []simEvent    // heartbeats in order
	next  int           // the first of beats that was not taken
	now   time.Duration // the time of the last event taken
	seq   uint64
}

// push adds an event; one before the current time is a mistake of the simulator.
func (q *queue) push(e simEvent) {
	if e.at < q.now {
		panic(fmt.Sprintf("simulator: an event at %v, the clock shows %v", e.at, q.now))
	}
	q.seq++
	e.seq = q.seq
	if n := len(q.beats); e.kind == evHeartbeat && (n == q.next || q.beats[n-1].at <= e.at) {
		if n == cap(q.beats) && q.next > n/2 {
			q.beats = q.beats[:copy(q.beats, q.beats[q.next:])]
			q.next = 0
		}
		q.beats = append(q.beats, e)
		return
	}
	q.heap = heap.Push(q.heap, e, (*simEvent).before)
}

// first returns the earliest event, nil if the queue is empty.
func (q *queue) first() *simEvent {
	switch {
	case q.next < len(q.beats) && (len(q.heap) == 0 || q.beats[q.next].before(&q.heap[0])):
		return &q.beats[q.next]
	case len(q.heap) > 0:
		return &q.heap[0]
	}
	return nil
}

// pop removes the earliest event and advances the clock to it. ok is false if the queue is empty.
func (q *queue) pop() (e simEvent, ok bool) {
	first := q.first()
	if first == nil {
		return simEvent{}, false
	}
	e = *first
	q.now = e.at
	if q.next < len(q.beats) && first == &q.beats[q.next] {
		q.next++
		return e, true
	}
	q.heap = heap.Pop(q.heap, (*simEvent).before)
	return e, true
}

// eventKind is the kind of an event.
type eventKind uint8

// The kinds of event, and the meaning of simEvent.a and simEvent.b for each.
const (
	evArrive    eventKind = iota // a: index of the job that arrives
	evSubmit                     // a: index of the job handed to the Core, after its set-up
	evHeartbeat                  // a: node; b: generation of its timer
	evAttempt                    // a: attempt record; b: its generation: its phase is over
	evUpdate                     // the periodic Update of the Core
	evFlow                       // b: generation: the next flow of the network ends
	evFail                       // a: node that fails; b: for how many seconds, 0 for good
	evRepair                     // a: node that comes back
	evSample                     // a sample of the shares is taken
	evJobEnd                     // a: index of the job whose cleaning up is over
)
