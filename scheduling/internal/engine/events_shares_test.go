package engine

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling/event"
	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// sharesOf runs two jobs of two users on a node of four map slots. It returns the events of the
// first Update about shares: of pools and queues, then of jobs.
func sharesOf(t *testing.T, preset string, change func(*model.Policy)) []event.Event {
	c, since := eventsOf(t, preset, func(cfg *core.Config, p *model.Policy) {
		cfg.Explain, p.Spread = true, false
		if change != nil {
			change(p)
		}
	})
	n := join(t, c, model.Node{Name: "n", MapSlots: 4, ReduceSlots: 1})
	for _, s := range []model.JobSpec{{User: "ann", Queue: "a", Maps: 9, MapTime: time.Minute}, {User: "bob", Queue: "b1", Maps: 1, MapTime: time.Minute}} {
		submit(t, c, s)
	}
	for range 4 { // fifo and capacity launch one map per heartbeat
		beat(t, c, 0, n)
	}
	since()
	require.NoError(t, c.Update(0))
	var list []event.Event
	for _, e := range since() {
		if e.Type == event.Shares {
			e.Type, e.Node = 0, 0
			list = append(list, e)
		}
	}
	return list
}

// Under every policy, events report the demand and the running tasks of jobs, pools and queues.
// They report fair shares if the policy has any.
func TestSharesOfEveryPolicy(t *testing.T) {
	maps := func(n int) [2]int { return [2]int{n, 0} }
	equal := []event.Event{
		{JobID: 1, Shares: [2]float64{3, 0}, Demand: maps(9), Running: maps(3)},
		{JobID: 2, Shares: [2]float64{1, 0}, Demand: maps(1), Running: maps(1)},
	}
	first := []event.Event{{JobID: 1, Demand: maps(9), Running: maps(4)}, {JobID: 2, Demand: maps(1)}}
	for preset, want := range map[string][]event.Event{
		"fifo":  first,
		"fair":  equal,
		"delay": equal,
		"srpt":  {{JobID: 1, Demand: maps(9), Running: maps(3)}, {JobID: 2, Demand: maps(1), Running: maps(1)}},
	} {
		require.Equal(t, want, sharesOf(t, preset, nil), preset)
	}
	require.Equal(t, []event.Event{
		{Pool: "ann", Shares: [2]float64{3, 0}, Demand: maps(9), Running: maps(3)},
		{Pool: "bob", Shares: [2]float64{1, 0}, Demand: maps(1), Running: maps(1), Min: maps(1), Max: [2]int{2, -1}},
		{JobID: 1, Pool: "ann", Shares: [2]float64{3, 0}, Demand: maps(9), Running: maps(3)},
		{JobID: 2, Pool: "bob", Shares: [2]float64{1, 0}, Demand: maps(1), Running: maps(1)},
	}, sharesOf(t, "hfs", func(p *model.Policy) {
		p.Pools.Pools = []model.PoolConfig{{Name: "bob", Min: [2]int{1, 0}, Max: [2]int{2, -1}}}
	}))
	require.Equal(t, []event.Event{
		{Pool: "a", Shares: [2]float64{2, 0}, Demand: maps(9), Running: maps(3), Max: [2]int{3, 1}},
		{Pool: "b", Shares: [2]float64{2, 0}, Demand: maps(1), Running: maps(1)},
		{Pool: "b1", Shares: [2]float64{2, 0}, Demand: maps(1), Running: maps(1)},
		{JobID: 1, Pool: "a", Demand: maps(9), Running: maps(3)},
		{JobID: 2, Pool: "b1", Demand: maps(1), Running: maps(1)},
	}, sharesOf(t, "capacity", func(p *model.Policy) {
		p.Queues = []model.QueueConfig{{Name: "a", Capacity: 50, Max: 75}, {Name: "b", Capacity: 50}, {Name: "b1", Parent: "b"}}
	}))
	require.Equal(t, equal, sharesOf(t, "quincy", func(p *model.Policy) { p.Quincy.Rule = model.QF }))
	require.Equal(t, first, sharesOf(t, "quincy", func(p *model.Policy) { p.Quincy.Rule = model.Q }))
	hfsp := sharesOf(t, "hfsp", func(p *model.Policy) { p.HFSP.NoTraining = true })
	require.Len(t, hfsp, 2)
	require.Equal(t, []any{3.0, 1.0}, []any{hfsp[0].Virtual[model.Map].Slots, hfsp[1].Virtual[model.Map].Slots}, "the slots of the virtual cluster")
	require.Equal(t, []any{maps(9), maps(1)}, []any{hfsp[0].Demand, hfsp[1].Demand})
}

// A change of demand or of running tasks is reported after a twentieth of the age of the pool,
// queue or job. For pools and queues it takes 10 seconds at most. A change of a pool's or queue's
// fair share is reported at once.
func TestSharesAreReportedAgain(t *testing.T) {
	const again = 20 // reports in the time of the age
	for _, preset := range []string{"hfs", "capacity", "fifo"} {
		c, since := eventsOf(t, preset, func(cfg *core.Config, p *model.Policy) { cfg.Explain, p.Spread = true, false })
		n := join(t, c, model.Node{Name: "n", MapSlots: 2})
		submit(t, c, model.JobSpec{User: "u", Maps: 4000})
		var groups, jobs []time.Duration
		var ends []model.Status
		for now := time.Duration(0); now < 1000*time.Second; now += time.Second {
			got, err := c.Heartbeat(now, model.Heartbeat{Node: n, Statuses: ends})
			require.NoError(t, err)
			if ends = ends[:0]; len(got.Actions) > 0 {
				ends = append(ends, model.Status{Attempt: got.Actions[0].Attempt, State: model.StateSucceeded})
			}
			require.NoError(t, c.Update(now))
			for _, e := range since() {
				switch {
				case e.Type != event.Shares:
				case e.JobID != 0:
					jobs = append(jobs, e.At)
				default:
					groups = append(groups, e.At)
				}
			}
		}
		for i, at := range jobs[1:] {
			require.GreaterOrEqual(t, at-jobs[i], at/again, preset)
			require.Less(t, at-jobs[i], at/again+time.Second, preset)
		}
		if preset == "fifo" {
			require.Empty(t, groups)
			continue
		}
		require.GreaterOrEqual(t, len(groups), 100, preset)
		for i, at := range groups[1:] {
			require.GreaterOrEqual(t, at-groups[i], min(at/again, 10*time.Second), preset)
			require.LessOrEqual(t, at-groups[i], 10*time.Second, preset)
		}
	}
}
