package serve

import "time"

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
