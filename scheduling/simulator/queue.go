package simulator

import (
	"errors"
	"fmt"
	"time"
)

// errPast is returned for an event that lies before the time already reached.
var errPast = errors.New("simulator: event in the past")

// simEvent is a thing that happens at a time. What a and b mean depends on the kind. Events are values
// of 32 bytes without pointers, so that neither pushing nor popping allocates and the collector has
// nothing to follow.
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

// queue is a heap of events with four children a node: half the levels of a binary heap, and the
// four children share two cache lines. Measured against container/heap in queue_test.go
// (BenchmarkQueue).
type queue struct {
	heap []simEvent
	now  time.Duration // the time of the last event taken
	seq  uint64
}

// push adds an event; one before the time of the last event taken is refused with errPast.
func (q *queue) push(e simEvent) error {
	if e.at < q.now {
		return fmt.Errorf("%w: %v, the clock shows %v", errPast, e.at, q.now)
	}
	q.seq++
	e.seq = q.seq
	q.heap = append(q.heap, e)
	h, i := q.heap, len(q.heap)-1
	for i > 0 {
		parent := (i - 1) / 4
		if !e.before(&h[parent]) {
			break
		}
		h[i] = h[parent]
		i = parent
	}
	h[i] = e
	return nil
}

// pop takes the earliest event and advances the clock to it. ok is false if there is none.
func (q *queue) pop() (e simEvent, ok bool) {
	h := q.heap
	if len(h) == 0 {
		return simEvent{}, false
	}
	e = h[0]
	q.now = e.at
	last := h[len(h)-1]
	h = h[:len(h)-1]
	q.heap = h
	if len(h) > 0 {
		sink(h, last)
	}
	return e, true
}

// sink puts e into the hole at the root of h.
func sink(h []simEvent, e simEvent) {
	i := 0
	for {
		first := 4*i + 1
		if first >= len(h) {
			break
		}
		least, end := first, min(first+4, len(h))
		for c := first + 1; c < end; c++ {
			if h[c].before(&h[least]) {
				least = c
			}
		}
		if !h[least].before(&e) {
			break
		}
		h[i] = h[least]
		i = least
	}
	h[i] = e
}
