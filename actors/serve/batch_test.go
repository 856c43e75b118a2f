package serve

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/scheduling/event"
)

// brokerOf returns a broker with n events.
func brokerOf(ring, events int) *broker {
	b := newBroker(ring, 1)
	for i := range events {
		b.add(actors.Event{Event: event.Event{Type: event.Warning, Name: fmt.Sprint("event ", i+1)}})
	}
	return b
}

// Readers at the same position get the same bytes, even if events were added since. Consecutive
// batches contain each event once.
func TestBatchIsMadeOnce(t *testing.T) {
	b := brokerOf(2*batchEvents, batchEvents+10)
	first, missed, wait := b.batch(1, "boot")
	require.Zero(t, missed)
	require.Nil(t, wait)
	require.True(t, first.hasMore)
	require.EqualValues(t, batchEvents+1, first.next)
	second, _, _ := b.batch(first.next, "boot")
	require.False(t, second.hasMore)
	require.EqualValues(t, batchEvents+11, second.next)
	var want []byte
	all, _, _ := b.read(1, 2*batchEvents)
	for _, l := range all {
		want = append(want, l.frame("boot")...)
	}
	require.Equal(t, string(want), string(first.text)+string(second.text))
	b.add(actors.Event{Event: event.Event{Type: event.Warning, Name: "later"}})
	again, _, _ := b.batch(first.next, "boot")
	require.Equal(t, second.next, again.next)
	require.Same(t, &second.text[0], &again.text[0])
	third, _, _ := b.batch(again.next, "boot")
	require.Contains(t, string(third.text), "later")
	_, _, wait = b.batch(third.next, "boot")
	require.NotNil(t, wait)
	for i := range uint64(20) {
		b.batch(5+i, "boot")
	}
	require.Len(t, b.batches, maxBatches, "others are forgotten")
}

// If the ring has dropped events, batch returns their number, and does not cache the batch.
func TestBatchOfWhatIsGone(t *testing.T) {
	b := brokerOf(8, 20)
	some, missed, _ := b.batch(1, "boot")
	require.EqualValues(t, 12, missed)
	require.EqualValues(t, 21, some.next)
	require.Contains(t, string(some.text), "id: boot-13\n")
	require.Empty(t, b.batches)
}

// All streams that wait for a beat continue at the same time; with more streams, it comes later.
// Then the next beat begins.
func TestBeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for streams, want := range map[int]time.Duration{1: streamEvery, 200: 400 * time.Millisecond, 1000: streamMost} {
			b := newBroker(8, 1)
			b.streams = streams
			began := time.Now()
			beat := b.beat()
			time.Sleep(want / 2)
			require.Equal(t, beat, b.beat())
			<-beat
			require.Equal(t, want, time.Since(began))
			require.NotEqual(t, beat, b.beat())
			<-b.beat()
		}
	})
}
