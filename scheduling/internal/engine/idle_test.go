package engine

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/scheduling/event"
	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// View.IdleReasons returns each reason for which a job leaves a free slot idle, without Explain.
func TestIdleReasonsOfNodes(t *testing.T) {
	c, n := newTestCore(t, "fair", func(_ *core.Config, p *model.Policy) { p.SlowStart = 1 })
	reasons := func(at model.NodeID) (list []model.Skip) { return c.View().IdleReasons(at) }
	submit(t, c, model.JobSpec{Maps: 9, Reduces: 3, SlotsPerTask: 2})
	only := func(at model.NodeID, k model.TaskKind, r model.Reason) {
		list := slices.DeleteFunc(reasons(at), func(s model.Skip) bool { return s.Kind != k })
		require.Equal(t, []model.Skip{{Job: 1, Kind: k, Node: at, Reason: r}}, list)
	}
	require.Len(t, beat(t, c, 0, n[0]), 1)
	only(n[0], model.Reduce, model.Reason{Cause: model.CauseSlowStart, Of: 9})
	require.Len(t, reasons(n[0]), 1, "no map slot is free")
	only(n[1], model.Map, model.Reason{Cause: model.CauseNotOffered})
	for _, none := range []model.NodeID{model.NoNode, 4, 5} {
		require.Nil(t, reasons(none))
	}
	require.NoError(t, c.Cordon(0, n[1], true))
	only(n[1], model.Map, model.Reason{Cause: model.CauseCordoned})
	require.NoError(t, c.Leave(0, n[1]))
	require.Nil(t, reasons(n[1]), "it is gone")
	join(t, c, model.Node{Name: "n3", Rack: "r2", MapSlots: 1})
	only(n[2], model.Map, model.Reason{Cause: model.CauseSlots, Count: 1, Of: 2})
	submit(t, c, model.JobSpec{}) // ends at once
	submit(t, c, model.JobSpec{Maps: 2})
	require.Len(t, beat(t, c, 0, n[3]), 2)
	require.Len(t, reasons(n[2]), 1, "the last job has no task to launch, the other is over")
	c.SetAvoided(c.Nodes[n[2]], true)
	only(n[2], model.Map, model.Reason{Cause: model.CauseAvoided})

	c, n = newTestCore(t, "hfs", func(_ *core.Config, p *model.Policy) { p.Pools.UserMaxJobs = 1 })
	submit(t, c, model.JobSpec{User: "u", Maps: 1})
	submit(t, c, model.JobSpec{User: "u", Maps: 1})
	require.Equal(t, model.Reason{Cause: model.CauseJobLimit, Count: 1, Of: 1}, c.View().IdleReasons(n[0])[1].Reason)
}

// With Explain a heartbeat emits each job's reason, for maps and for reduces, if the reason or the
// allowed level is new. Later it does so after twice as many skips, four times and so on. A reason
// is valid until the next event.
func TestSkipsAreReported(t *testing.T) {
	c, since := eventsOf(t, "fair", func(cfg *core.Config, p *model.Policy) {
		cfg.Explain = true
		p.Locality = model.LocalityPolicy{Rule: model.TimedWait, Waits: []time.Duration{10 * time.Second, 10 * time.Second}}
	})
	data := c.NodeID("data")
	n := join(t, c, model.Node{Name: "n", Rack: "r", MapSlots: 2, ReduceSlots: 1})
	submit(t, c, model.JobSpec{Maps: 2, Reduces: 1, Places: on(2, data)})
	submit(t, c, model.JobSpec{Maps: 1, Places: on(1, data)})
	skips := func(at time.Duration) (list []event.Event) {
		since()
		require.Empty(t, beat(t, c, at, n))
		for _, e := range since() {
			require.Equal(t, event.Skipped, e.Type)
			list = append(list, e)
		}
		return list
	}
	skip := func(at time.Duration, job model.JobID, k model.TaskKind, r model.Reason, until time.Duration, level string, count int) event.Event {
		return event.Event{At: at, Type: event.Skipped, JobID: job, Kind: k, Node: n, NodeName: "n", Reason: r, Until: until, Level: level, Count: count}
	}
	waits, slow := model.Reason{Cause: model.CauseWaiting}, model.Reason{Cause: model.CauseSlowStart, Of: 1}
	near := "node-local"
	require.Equal(t, []event.Event{
		skip(0, 1, model.Map, waits, 10*time.Second, near, 1), skip(0, 2, model.Map, waits, 10*time.Second, near, 1), skip(0, 1, model.Reduce, slow, 0, "", 1),
	}, skips(0))
	require.Equal(t, []model.Skip{
		{Job: 1, Kind: model.Map, Node: n, Reason: waits, Until: 10 * time.Second},
		{Job: 2, Kind: model.Map, Node: n, Reason: waits, Until: 10 * time.Second},
		{Job: 1, Kind: model.Reduce, Node: n, Reason: slow},
	}, c.View().Skips())
	waits.Wait = 4 * time.Second
	require.Equal(t, []event.Event{
		skip(4*time.Second, 1, model.Map, waits, 10*time.Second, near, 2), skip(4*time.Second, 2, model.Map, waits, 10*time.Second, near, 2), skip(4*time.Second, 1, model.Reduce, slow, 0, "", 2),
	}, skips(4*time.Second), "the second time")
	require.Equal(t, model.Reason{Cause: model.CauseWaiting, Wait: 4 * time.Second}, c.View().Skips()[0].Reason)
	require.Equal(t, 10*time.Second, c.View().Skips()[0].Until)
	require.Equal(t, c.View().Skips()[:1], c.View().IdleReasons(n)[:1], "it knows")
	waits.Wait = 5 * time.Second
	require.Empty(t, skips(5*time.Second), "the third is the same")
	waits.Wait = 12 * time.Second
	require.Equal(t, []event.Event{
		skip(12*time.Second, 1, model.Map, waits, 20*time.Second, "rack-local", 1), skip(12*time.Second, 2, model.Map, waits, 20*time.Second, "rack-local", 1),
		skip(12*time.Second, 1, model.Reduce, slow, 0, "", 4),
	}, skips(12*time.Second), "the node is no rack of the data, and the reduce was passed over for the fourth time")
	require.Equal(t, model.Skip{Job: 1, Kind: model.Map, Node: n, Reason: model.Reason{Cause: model.CauseWaiting, Wait: 12 * time.Second}, Until: 20 * time.Second}, c.View().Skips()[0])
	got, err := c.Heartbeat(20*time.Second, model.Heartbeat{Node: n})
	require.NoError(t, err)
	require.Len(t, got.Actions, 2)
	require.Equal(t, model.Reason{Cause: model.CauseWaited, Wait: 20 * time.Second}, got.Actions[0].Reason)
}

// A job is offered a slot only if it can use one. On a node of two slots one task takes both, and
// the other job is not offered any.
func TestNoOfferWithoutASlot(t *testing.T) {
	for _, preset := range []string{"fifo", "fair", "hfs", "hfsp", "srpt"} {
		c, _ := newTestCore(t, preset, func(cfg *core.Config, p *model.Policy) { cfg.Explain, p.Spread = true, false })
		n := join(t, c, model.Node{Name: "n", MapSlots: 2})
		data := model.Places{Offsets: []int32{0, 1}, Nodes: []model.NodeID{n}}
		submit(t, c, model.JobSpec{User: "u", Maps: 1, SlotsPerTask: 2, Places: data})
		submit(t, c, model.JobSpec{User: "v", Maps: 1, Places: data})
		require.Len(t, beat(t, c, 0, n), 1, preset)
		require.Empty(t, c.View().Skips(), preset)
	}
}

// Under any policy and limits, an event gives the reason of each job that waits while a slot is
// free. It follows the last launch of the job. Of more than eight jobs, some wait for their turn.
func TestEveryWaitHasItsReason(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := policyOf(t, rapid.SampledFrom(Presets()).Draw(t, "preset"), nil)
		p.Pools = model.Allocations{UserMaxJobs: 2, Pools: []model.PoolConfig{{Name: "a", Max: [2]int{1, 1}}, {Name: "b", MaxJobs: 1}}}
		p.Queues = []model.QueueConfig{{Name: "a", Max: 60, InitJobs: 1}, {Name: "b", UserLimit: 50}, {Name: "default", InitJobs: 1}}
		w := newWorld(t, p)
		w.calm = true // a machine that is asked answers
		type wait struct {
			job  model.JobID
			kind model.TaskKind
		}
		recorded := map[wait]bool{}
		w.hears = func(e event.Event) {
			switch e.Type {
			case event.Skipped:
				require.NotEqual(t, model.NoCause, e.Reason.Cause)
				recorded[wait{e.JobID, e.Kind}] = true
			case event.Launched:
				recorded[wait{e.JobID, e.Kind}] = false
			default:
			}
		}
		for range 30 {
			w.step(4, 1)
			n := rapid.SampledFrom(w.nodes).Draw(t, "node")
			w.beat(n, 3, 1)
			at := w.c.Nodes[n]
			for k := range model.TaskKind(model.Kinds) {
				if !at.Open() || at.Free(k) <= 0 || len(w.c.Active) > 8 {
					continue
				}
				for _, j := range w.c.Active {
					waits := !j.State.Ended() && j.Work[k].Waiting() > 0
					require.False(t, waits && !recorded[wait{j.ID, k}], "%v waits beside a free %v slot on %v and nobody knows why", j.ID, k, n)
				}
			}
		}
	})
}

// A heartbeat explains eight waiting jobs at most; they take turns, so that each gets its reason.
func TestWaitingJobsTakeTurns(t *testing.T) {
	c, since := eventsOf(t, "fifo", func(cfg *core.Config, _ *model.Policy) { cfg.Explain = true })
	n := join(t, c, model.Node{Name: "n", ReduceSlots: 1})
	full := join(t, c, model.Node{Name: "full"}) // takes no turn: nothing is free there
	const jobs = 20
	for range jobs {
		submit(t, c, model.JobSpec{Maps: 1, Reduces: 1})
	}
	since()
	for range 2 { // rounds
		var got []model.JobID
		for _, want := range []int{8, 8, 4} {
			require.Empty(t, beat(t, c, 0, full))
			require.Empty(t, beat(t, c, 0, n))
			list := since()
			require.Len(t, list, want)
			require.Equal(t, model.CauseSlowStart, list[0].Reason.Cause)
			for _, e := range list {
				got = append(got, e.JobID)
			}
		}
		require.Equal(t, c.View().Active(), got)
	}
}

// A job that its queue holds back gets one event with the reason, even while no slot is free.
func TestHeldJobHasItsReason(t *testing.T) {
	p := policyOf(t, "capacity", nil)
	p.Queues = []model.QueueConfig{{Name: "default", InitJobs: 1}}
	held := map[model.JobID]int{}
	c, err := NewCore(core.Config{Explain: true, Events: func(e event.Event) {
		if e.Type == event.Skipped && e.Reason.Cause == model.CauseNotInitialized {
			held[e.JobID]++
		}
	}}, p)
	require.NoError(t, err)
	n := join(t, c, model.Node{Name: "n", MapSlots: 1})
	for range 6 {
		submit(t, c, model.JobSpec{Name: "j", User: "u", Maps: 1})
	}
	for at := range time.Duration(5) {
		beat(t, c, at*time.Second, n)
	}
	require.Equal(t, 1, held[6])
}
