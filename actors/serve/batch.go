package serve

import "time"

// batch is a stretch of the events as streams that leave none out send it: made once for all who have
// come as far. Its text is not to be changed.
type batch struct {
	next uint64 // number of the event behind it
	text []byte
	full bool // there may be more behind it
}

const (
	batchEvents = 1024 // at most, in a batch
	mostBatches = 4    // that are kept: readers who keep pace want the last one, those who catch up their own
)

// batch gives events from number on as read does.
func (b *broker) batch(number uint64, boot string) (some batch, missed uint64, wait <-chan struct{}) {
	b.mu.Lock()
	some, known := b.batches[number]
	b.mu.Unlock()
	if known {
		return some, 0, nil
	}
	list, missed, wait := b.read(number, batchEvents)
	some.next, some.full = number+missed, len(list) == batchEvents
	for _, l := range list {
		some.text = append(some.text, l.frame(boot)...)
		some.next = l.number + 1
	}
	if missed == 0 && len(list) > 0 {
		b.keep(number, some)
	}
	return some, missed, wait
}

// keep remembers a batch that begins with an event, and forgets the one that begins first.
func (b *broker) keep(number uint64, some batch) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.batches[number] = some
	if len(b.batches) <= mostBatches {
		return
	}
	first := number
	for n := range b.batches {
		first = min(first, n)
	}
	delete(b.batches, first)
}

// beat is closed when streams that have sent what there is may send again: all at once, so that what has
// come together is one batch for all. That takes longer with many of them, which cost the cluster's
// machine a write each.
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
