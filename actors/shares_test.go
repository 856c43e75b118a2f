package actors

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/event"
)

// Even a run of 40 ms has events with demand, use and fair shares. For each scheduler these are the
// shares of pools, queues or jobs that docs/events.md lists.
func TestLiveSharesOfEveryScheduler(t *testing.T) {
	for _, preset := range scheduling.Presets() {
		var events recorder
		policy, err := scheduling.Preset(preset)
		require.NoError(t, err)
		queues := policy.Order == "capacity"
		if queues {
			policy.Queues = []scheduling.QueueConfig{{Name: "ann", Capacity: 50}, {Name: "bob", Capacity: 50}}
		}
		cfg := Config{Nodes: 2, MapSlots: 2, ReduceSlots: 1, BlockSize: 1, Policy: policy, Events: events.add, Explain: true}
		bubble(t, cfg, func(t *testing.T, c *Cluster) {
			job := counting(1)
			job.Map = func(line []byte, emit func(string, int64)) error {
				<-time.After(10 * time.Millisecond)
				return words(line, emit)
			}
			var handles []*JobHandle
			for _, user := range []string{"ann", "bob"} {
				o := SubmitOptions{User: user}
				if queues {
					o.Queue = user
				}
				handles = append(handles, c.submit(t, first(bindLines(t, job, "a\nb\nc\nd\ne\nf\ng\nh\n")), o))
			}
			for _, h := range handles {
				h.wait(t)
			}
		})
		has := func(f func(e Event) bool) bool { return slices.ContainsFunc(events.of(event.Shares), f) }
		for id := scheduling.JobID(1); id <= 2; id++ {
			require.True(t, has(func(e Event) bool { return e.JobID == id && e.Demand[0] > 0 }), "%s: what job %d wants", preset, id)
			require.True(t, has(func(e Event) bool { return e.JobID == id && e.Running[0] > 0 }), "%s: what job %d runs", preset, id)
		}
		share := has(func(e Event) bool { return e.JobID == 1 && e.Shares[0] > 0 })
		require.Equal(t, slices.Contains([]string{"hfs", "fair", "delay", "quincy"}, preset), share, "%s: a job's share", preset)
		require.Equal(t, preset == "hfsp", has(func(e Event) bool { return e.Virtual[0].Slots > 0 }), "%s: the virtual cluster", preset)
		for _, name := range []string{"ann", "bob"} {
			group := has(func(e Event) bool { return e.JobID == 0 && e.Pool == name && e.Shares[0] > 0 && e.Demand[0] > 0 })
			require.Equal(t, preset == "hfs" || queues, group, "%s: the share of %s", preset, name)
		}
	}
}
