package serve

import (
	"encoding/json"
	"errors"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/actors/serve/api"
	"github.com/tarry-mr/tarry/scheduling"
)

// What is left of events that are gone is what still holds: nodes, the jobs that have not ended with
// what runs of them, and how many tasks are done. All else is forgotten.
func TestDigestIsTheState(t *testing.T) {
	b := newBroker(1, 1)
	attempt := func(job scheduling.JobID, task int32) scheduling.AttemptID {
		return scheduling.AttemptID{Task: scheduling.TaskID{Job: job, Kind: scheduling.Map, Index: task}}
	}
	tell := func(e scheduling.Event) { b.add(actors.Event{Event: e}) }
	tell(scheduling.Event{Type: scheduling.EventBegan})                                                            // 1
	tell(scheduling.Event{Type: scheduling.EventJoined, Node: 0})                                                  // 2
	tell(scheduling.Event{Type: scheduling.EventJoined, Node: 1})                                                  // 3
	tell(scheduling.Event{Type: scheduling.EventJoined, Node: 0})                                                  // 4 in place of 2
	tell(scheduling.Event{Type: scheduling.EventSubmitted, JobID: 1})                                              // 5
	tell(scheduling.Event{Type: scheduling.EventSubmitted, JobID: 2})                                              // 6
	tell(scheduling.Event{Type: scheduling.EventSkipped, JobID: 2, Kind: scheduling.Map})                          // 7
	tell(scheduling.Event{Type: scheduling.EventLaunched, Attempt: attempt(1, 0), Locality: scheduling.NodeLocal}) // 8
	tell(scheduling.Event{Type: scheduling.EventLaunched, Attempt: attempt(2, 0), Locality: scheduling.NodeLocal}) // 9 ends 7
	tell(scheduling.Event{Type: scheduling.EventLaunched, Attempt: attempt(2, 1), Locality: scheduling.RackLocal}) // 10
	tell(scheduling.Event{Type: scheduling.EventSucceeded, Attempt: attempt(2, 0)})                                // 11 ends 9
	tell(scheduling.Event{Type: scheduling.EventSuspended, Attempt: attempt(2, 1)})                                // 12
	tell(scheduling.Event{Type: scheduling.EventFinished, JobID: 1})                                               // 13 ends 5, 8
	tell(scheduling.Event{Type: scheduling.EventKilled, Attempt: attempt(1, 0)})                                   // 14 of none
	tell(scheduling.Event{Type: scheduling.EventPriority, JobID: 2, Name: "HIGH"})                                 // 15
	tell(scheduling.Event{Type: scheduling.EventWarning})                                                          // 16 in the ring
	before, sums, oldest := b.begin()
	var numbers []uint64
	for _, l := range before {
		numbers = append(numbers, l.number)
	}
	require.Equal(t, []uint64{1, 3, 4, 6, 10, 12, 15}, numbers)
	require.Equal(t, uint64(16), oldest)
	require.Equal(t, []counts{
		{Type: "counts", Node: -1, Job: 2, Done: [2]int64{1, 0}, Near: [4]int64{1, 0, 0, 0}},
		{Type: "counts", Node: -1, Near: [4]int64{1, 0, 0, 0}},
	}, sums)
	require.Len(t, b.gone.jobs, 1)
}

// Who comes late to the cluster's stream, and asks for the state, is led to it: then the events that
// are still there follow, with numbers to resume behind.
func TestStreamBeginsWithTheState(t *testing.T) {
	b := start(t, func(cfg *Config) { cfg.limits.ring = 4 })
	b.write("in.txt", "a b\n")
	b.wait(b.submit("count", "in.txt", "-o", "out").ID)
	enough := errors.New("enough")
	read := func(query string) (list []api.Event) {
		require.ErrorIs(t, b.EventsFrom(t.Context(), query, "", func(e api.Event) error {
			list = append(list, e)
			if e.ID == b.s.boot+"-"+strconv.FormatUint(b.s.events.next-1, 10) {
				return enough
			}
			return nil
		}), enough)
		return list
	}
	list := read("?state=true")
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
	code, _ := b.problemOf("GET", "/api/v1/events?state=maybe", "", nil)
	require.Equal(t, 400, code)
}
