package serve

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/actors/serve/api"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/event"
)

// Streams that are up to date write less often if there are more of them.
func TestPause(t *testing.T) {
	for streams, want := range map[int64]time.Duration{1: streamEvery, 200: 400 * time.Millisecond, 1000: streamMost} {
		b := newBroker("boot", 8)
		b.streams.Store(streams)
		require.Equal(t, want, b.pause())
	}
}

// From dropped events, the server keeps only the current state: nodes, unfinished jobs with their
// running tasks, and the number of finished tasks.
func TestSnapshotIsTheState(t *testing.T) {
	b := newBroker("boot", 1)
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
	require.Len(t, b.dropped, 2, "the cluster and an unfinished job")
}

// Of an unfinished job, the state holds only events that no later one replaces. The counts cover
// all its dropped events, without the attempts that run.
func TestSnapshotOfAJob(t *testing.T) {
	b := newBroker("boot", 1)
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
}
