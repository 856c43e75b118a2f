package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/actors/serve/api"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/event"
)

// brokerOf returns a broker with n events.
func brokerOf(ring, events int) *broker {
	b := newBroker("boot", ring, 1)
	for i := range events {
		b.add(actors.Event{Event: event.Event{Type: event.Warning, Name: fmt.Sprint("event ", i+1)}})
	}
	return b
}

// Readers at the same position get the same bytes, even if events were added since. Consecutive
// batches contain each event once.
func TestBatchIsMadeOnce(t *testing.T) {
	b := brokerOf(2*batchEvents, batchEvents+10)
	first, missed, wait := b.batch(1, nil)
	require.Zero(t, missed)
	require.Nil(t, wait)
	require.True(t, first.hasMore)
	require.EqualValues(t, batchEvents+1, first.next)
	second, _, _ := b.batch(first.next, nil)
	require.False(t, second.hasMore)
	require.EqualValues(t, batchEvents+11, second.next)
	var want []byte
	all, _, _ := b.read(1, 2*batchEvents)
	for _, l := range all {
		want = append(want, b.frame(l)...)
	}
	require.Equal(t, string(want), string(first.text)+string(second.text))
	b.add(actors.Event{Event: event.Event{Type: event.Warning, Name: "later"}})
	again, _, _ := b.batch(first.next, nil)
	require.Equal(t, second.next, again.next)
	require.Same(t, &second.text[0], &again.text[0])
	third, _, _ := b.batch(again.next, nil)
	require.Contains(t, string(third.text), "later")
	_, _, wait = b.batch(third.next, nil)
	require.NotNil(t, wait)
	for i := range uint64(20) {
		b.batch(5+i, nil)
	}
	require.Len(t, b.batches, maxBatches, "others are forgotten")
}

// If the ring has dropped events, batch returns their number, and does not cache the batch.
func TestBatchOfWhatIsGone(t *testing.T) {
	b := brokerOf(8, 20)
	some, missed, _ := b.batch(1, nil)
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
			b := newBroker("boot", 8, 1)
			b.streams.Store(int64(streams))
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

// From dropped events, the server keeps only the current state: nodes, unfinished jobs with their
// running tasks, and the number of finished tasks.
func TestSnapshotIsTheState(t *testing.T) {
	b := newBroker("boot", 1, 1)
	attempt := func(job scheduling.JobID, task int32) scheduling.AttemptID {
		return scheduling.AttemptID{Task: scheduling.TaskID{Job: job, Kind: scheduling.Map, Index: task}}
	}
	tell := func(e event.Event) { b.add(actors.Event{Event: e}) }
	tell(event.Event{Type: event.Began})                                                // 1
	tell(event.Event{Type: event.Joined, Node: 0})                                      // 2
	tell(event.Event{Type: event.Joined, Node: 1})                                      // 3
	tell(event.Event{Type: event.Joined, Node: 0})                                      // 4 replaces 2
	tell(event.Event{Type: event.Submitted, JobID: 1})                                  // 5
	tell(event.Event{Type: event.Submitted, JobID: 2})                                  // 6
	tell(event.Event{Type: event.Skipped, JobID: 2, Kind: scheduling.Map})              // 7
	tell(event.Event{Type: event.Launched, Attempt: attempt(1, 0), Near: "node-local"}) // 8
	tell(event.Event{Type: event.Launched, Attempt: attempt(2, 0), Near: "node-local"}) // 9 ends 7
	tell(event.Event{Type: event.Launched, Attempt: attempt(2, 1), Near: "rack-local"}) // 10
	tell(event.Event{Type: event.Succeeded, Attempt: attempt(2, 0)})                    // 11 ends 9
	tell(event.Event{Type: event.Suspended, Attempt: attempt(2, 1)})                    // 12
	tell(event.Event{Type: event.Finished, JobID: 1})                                   // 13 ends 5, 8
	tell(event.Event{Type: event.Killed, Attempt: attempt(1, 0)})                       // 14 of an attempt without a launch
	tell(event.Event{Type: event.Priority, JobID: 2, Name: "HIGH"})                     // 15
	tell(event.Event{Type: event.Warning})                                              // 16 is still in the ring
	before, sums, oldest := b.snapshot()
	var numbers []uint64
	for _, l := range before {
		numbers = append(numbers, l.number)
	}
	require.Equal(t, []uint64{1, 3, 4, 6, 10, 12, 15}, numbers)
	require.Equal(t, uint64(16), oldest)
	require.Equal(t, []counts{
		{Type: "counts", Node: -1, Job: 2, Done: [2]int64{1, 0}, Near: [4]int64{1, 0, 0, 0}},
		{Type: "counts", Node: -1, Near: [4]int64{2, 0, 0, 0}}, // including job 1, whose map was running at its end
	}, sums)
	require.Len(t, b.dropped.jobs, 1)
}

// Of an unfinished job, the state holds only events that no later one replaces. The counts cover
// all its dropped events, without the attempts that run.
func TestSnapshotOfAJob(t *testing.T) {
	b := newBroker("boot", 1, 1)
	attempt := func(kind scheduling.TaskKind, task int32) scheduling.AttemptID {
		return scheduling.AttemptID{Task: scheduling.TaskID{Job: 3, Kind: kind, Index: task}}
	}
	m0, m1, m2, r0 := attempt(scheduling.Map, 0), attempt(scheduling.Map, 1), attempt(scheduling.Map, 2), attempt(scheduling.Reduce, 0)
	for _, e := range []event.Event{
		{Type: event.Submitted, JobID: 3, Name: "words", Pool: "ann"}, // 1
		{Type: event.Skipped, JobID: 3},
		{Type: event.Skipped, JobID: 3, Kind: scheduling.Reduce},
		{Type: event.Launched, Attempt: m0, Near: "node-local"}, // the map waits no more
		{Type: event.Launched, Attempt: m1, Near: "rack-local"}, // 5
		{Type: event.Launched, Attempt: m2, Near: "level-4"},
		{Type: event.Launched, Attempt: r0},
		{Type: event.Succeeded, Attempt: m0},
		{Type: event.Suspended, Attempt: m1},
		{Type: event.Resumed, Attempt: m1}, // in place of Suspended
		{Type: event.Failed, Attempt: m2},
		{Type: event.Suspended, Attempt: m1}, // 12, in place of Resumed
		{Type: event.Killed, Attempt: r0},
		{Type: event.Pool, JobID: 3, Pool: "bob"}, // 14
		{Type: event.OutputLost, Attempt: m0},
		{Type: event.Warning, JobID: 3},
		{Type: event.Began}, // is still in the ring
	} {
		b.add(actors.Event{Event: e})
	}
	holding, sums, _ := b.snapshot()
	var numbers []uint64
	for _, l := range holding {
		numbers = append(numbers, l.number)
	}
	require.Equal(t, []uint64{1, 5, 12, 14}, numbers)
	require.Equal(t, []counts{
		{Type: "counts", Node: -1, Job: 3, Failed: 1, Killed: 1, Near: [4]int64{1, 0, 1, 0}},
		{Type: "counts", Node: -1, Near: [4]int64{1, 0, 1, 0}},
	}, sums)
}

// withQuery sends requests with a query.
type withQuery struct {
	http.RoundTripper
	query string
}

func (w withQuery) RoundTrip(r *http.Request) (*http.Response, error) {
	r.URL.RawQuery = w.query
	return w.RoundTripper.RoundTrip(r)
}

// A late reader of the cluster's stream that asks for the state first gets events that build it.
// The retained events follow, with ids from which a reader can resume.
func TestStreamBeginsWithTheState(t *testing.T) {
	b := start(t, func(cfg *Config) { cfg.limits.ring = 4 })
	b.write("in.txt", "a b\n")
	b.wait(b.submit("count", "in.txt", "-o", "out").ID)
	enough := errors.New("enough")
	last := func() uint64 { // number of the last event; the cluster may still publish some
		b.s.events.mu.Lock()
		defer b.s.events.mu.Unlock()
		return b.s.events.next - 1
	}
	read := func(query string) (list []api.Event) {
		c := &api.Client{Base: b.url, HTTP: &http.Client{Transport: withQuery{b.HTTP.Transport, query}}}
		require.ErrorIs(t, c.Events(t.Context(), 0, "", func(e api.Event) error {
			list = append(list, e)
			if e.ID == b.s.boot+"-"+strconv.FormatUint(last(), 10) {
				return enough
			}
			return nil
		}), enough)
		return list
	}
	list := read("state=true")
	types := map[string]int{}
	for _, e := range list {
		types[e.Type]++
		require.True(t, json.Valid(e.Data))
	}
	require.Equal(t, "missed", list[0].Type)
	require.Equal(t, "began", list[1].Type)
	require.Equal(t, len(b.s.cluster.Nodes()), types["joined"])
	require.NotZero(t, types["counts"])
	require.Equal(t, list[len(list)-4:], read(""), "without asking: what is there")
	require.Equal(t, http.StatusBadRequest, b.status(http.MethodGet, "/api/v1/events?state=maybe", ""))
}

// BenchmarkEventFor200Readers measures what publishing an event costs the JobTracker while 200
// streams read.
func BenchmarkEventFor200Readers(b *testing.B) {
	events := newBroker("boot", 1<<12, 200)
	ctx, cancel := context.WithCancel(b.Context())
	var all sync.WaitGroup
	for range 200 {
		all.Go(func() {
			for next := uint64(1); ctx.Err() == nil; {
				list, missed, wait := events.read(next, batchEvents)
				next += missed + uint64(len(list))
				for _, l := range list {
					events.frame(l)
				}
				if wait != nil {
					select {
					case <-wait:
					case <-ctx.Done():
					}
				}
			}
		})
	}
	e := actors.Event{Event: event.Event{Type: event.Launched, JobID: 1, NodeName: "node-01"}}
	for b.Loop() {
		events.add(e)
	}
	cancel()
	all.Wait()
}
