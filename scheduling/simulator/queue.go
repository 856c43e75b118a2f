package simulator

import (
	"errors"
	"fmt"
	"time"
)

// errPast is the error for an event before the current time.
var errPast = errors.New("simulator: event in the past")

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
// after its predecessor, so that they come in order: they go to a list, all others to a heap. The
// heap has four children per node: half the levels of a binary heap, and the four children share
// two cache lines.
type queue struct {
	heap  []simEvent
	beats []simEvent    // heartbeats in order
	next  int           // the first of beats that was not taken
	now   time.Duration // the time of the last event taken
	seq   uint64
}

// push adds an event; for one before the current time it returns errPast.
func (q *queue) push(e simEvent) error {
	if e.at < q.now {
		return fmt.Errorf("%w: %v, the clock shows %v", errPast, e.at, q.now)
	}
	q.seq++
	e.seq = q.seq
	if n := len(q.beats); e.kind == evHeartbeat && (n == q.next || q.beats[n-1].at <= e.at) {
		if n == cap(q.beats) && q.next > n/2 {
			q.beats = q.beats[:copy(q.beats, q.beats[q.next:])]
			q.next = 0
		}
		q.beats = append(q.beats, e)
		return nil
	}
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
	h := q.heap
	last := h[len(h)-1]
	h = h[:len(h)-1]
	q.heap = h
	if len(h) > 0 {
		sink(h, last)
	}
	return e, true
}

// sink moves e from the empty root of h to its place.
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
