package actors

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/actors/state"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/access"
	"github.com/tarry-mr/tarry/scheduling/calls"
	"github.com/tarry-mr/tarry/scheduling/event"
	"github.com/tarry-mr/tarry/scheduling/view"
)

// closedRules let everybody submit to "open", but only ann and the group staff to "prod".
func closedRules(t *testing.T) *access.Rules {
	t.Helper()
	list := func(s string) access.List {
		l, err := access.ParseList(s)
		require.NoError(t, err)
		return l
	}
	return &access.Rules{Access: access.Control{Enabled: true, Queues: []access.Queue{
		{Name: "open", Submit: list("*"), Administer: list(" ")},
		{Name: "prod", Submit: list("ann staff"), Administer: list(" ")},
	}}}
}

// Submit admits a job as the current policy and rules say, also after reloads. It rejects a pool or
// queue that the scheduler does not use or know, or in which the user may not submit.
func TestAdmission(t *testing.T) {
	preset := func(name string) scheduling.Policy {
		p, err := scheduling.Preset(name)
		require.NoError(t, err)
		return p
	}
	hfs, fifo, capacity, queues, rules := preset("hfs"), preset("fifo"), preset("capacity"), preset("capacity"), closedRules(t)
	queues.Queues = []scheduling.QueueConfig{{Name: "open", Capacity: 50}, {Name: "prod", Capacity: 50}}
	listed := scheduling.Policy{Order: "pools", Pools: scheduling.Allocations{Pools: []scheduling.PoolConfig{{Name: "a"}}}}
	c := start(t, Config{})
	for _, x := range []struct {
		policy scheduling.Policy
		rules  *access.Rules
		o      SubmitOptions
		pool   string // the job's pool or queue, or why it is rejected
		want   error
	}{
		{hfs, nil, SubmitOptions{Queue: "q"}, `unknown queue "q": scheduler hfs has no queues`, scheduling.ErrUnknownQueue},
		{hfs, nil, SubmitOptions{Pool: "any"}, "any", nil},
		{fifo, nil, SubmitOptions{Pool: "p"}, `unknown pool "p": scheduler fifo has no pools`, scheduling.ErrUnknownPool},
		{capacity, nil, SubmitOptions{Pool: "p"}, `scheduler capacity has no pools`, scheduling.ErrUnknownPool},
		{capacity, nil, SubmitOptions{Queue: "q"}, `"q" is not a leaf queue`, scheduling.ErrUnknownQueue},
		{capacity, nil, SubmitOptions{Queue: "default"}, "default", nil},
		{listed, nil, SubmitOptions{Pool: "b"}, `unknown pool "b"`, scheduling.ErrUnknownPool},
		{listed, nil, SubmitOptions{Pool: "a"}, "a", nil},
		{listed, nil, SubmitOptions{Pool: "default"}, "default", nil},
		{hfs, rules, SubmitOptions{User: "eve", Pool: "prod"}, "may not submit", access.ErrDenied},
		{hfs, rules, SubmitOptions{User: "eve"}, "may not submit", access.ErrDenied}, // pool "eve" is not in the lists
		{hfs, rules, SubmitOptions{Pool: "prod"}, "may not submit", access.ErrDenied},
		{hfs, rules, SubmitOptions{User: "eve", Pool: "open", Queue: "prod"}, "may not submit", access.ErrDenied},
		{hfs, rules, SubmitOptions{User: "ann", Pool: "prod"}, "prod", nil},
		{hfs, rules, SubmitOptions{User: "bob", Groups: []string{"staff"}, Pool: " prod "}, "prod", nil},
		{hfs, rules, SubmitOptions{User: "eve", Pool: "open"}, "open", nil},
		{queues, rules, SubmitOptions{User: "ann", Queue: "prod"}, "prod", nil},
		{queues, rules, SubmitOptions{User: "eve", Queue: "open"}, "open", nil},
		{queues, rules, SubmitOptions{User: "eve", Queue: "prod"}, "may not submit", access.ErrDenied},
		{queues, rules, SubmitOptions{User: "ann", Pool: "prod"}, "may not submit", access.ErrDenied},
		{hfs, rules, SubmitOptions{User: "ann", Pool: "prod"}, "prod", nil},
	} {
		require.NoError(t, c.Reload(x.policy, x.rules))
		h, err := c.Submit(t.Context(), wordCount(t, "a b\n", 1), x.o)
		require.ErrorIs(t, err, x.want, "%+v", x.o)
		if err != nil {
			require.ErrorContains(t, err, x.pool)
			require.NotContains(t, err.Error(), "\n")
			continue
		}
		var job view.Job
		require.NoError(t, c.Inspect(func(v scheduling.View) { job, err = v.Job(h.ID()) }))
		require.NoError(t, err)
		require.Equal(t, x.pool, job.Pool, "%+v", x.o)
		h.wait(t)
	}
}

// A job moves between pools as the rules allow, and gets another priority, while it runs.
func TestRulesGuardMoves(t *testing.T) {
	c := start(t, Config{Rules: closedRules(t)})
	h, _ := submitLines(t, c, tasked(1, untilKilled), "a b\n", SubmitOptions{User: "eve", Pool: "open"})
	require.ErrorIs(t, h.SetPool(h.run.who, "prod"), access.ErrDenied)
	require.NoError(t, h.SetPool(h.run.who, "open"))
	require.NoError(t, h.SetPriority(scheduling.VeryHigh))
	require.Error(t, h.SetPriority(42))
	fifo, err := scheduling.Preset("fifo")
	require.NoError(t, err)
	require.NoError(t, c.Reload(fifo, nil))
	require.Error(t, h.SetPool(h.run.who, "x"), "fifo has no pools")
	require.NoError(t, h.Kill("done"))
}

// Reload changes the policy and the access lists of a running cluster together, or, after an error,
// neither. Both outcomes are events.
func TestReloadIsAllOrNothing(t *testing.T) {
	var events []event.Event
	c := start(t, Config{Events: func(e Event) { events = append(events, e.Event) }})
	pools, err := scheduling.Preset("hfs")
	require.NoError(t, err)
	pools.Name = "new"
	closed := &access.Rules{Access: access.Control{Enabled: true}}
	bad := pools
	bad.Order = "lottery"
	submit := func() error {
		h, err := c.Submit(t.Context(), wordCount(t, "a\n", 1), SubmitOptions{User: "eve"})
		if err == nil {
			h.wait(t)
		}
		return err
	}
	require.ErrorIs(t, c.Reload(bad, closed), scheduling.ErrUnknownPolicy)
	require.NoError(t, submit(), "the old rules stay effective")
	require.NoError(t, c.Reload(pools, closed))
	require.NoError(t, c.Inspect(func(v scheduling.View) { require.Equal(t, "new", v.Policy().Name) }))
	require.ErrorIs(t, submit(), access.ErrDenied)
	require.NoError(t, c.ReloadFailed(errors.New("pools.xml:3: wrong")))
	require.NoError(t, c.Close())
	find := func(of event.Type) (found []event.Event) {
		for _, e := range events {
			if e.Type == of {
				found = append(found, e)
			}
		}
		return found
	}
	require.Equal(t, "new", find(event.Reconfigured)[0].Name)
	require.Equal(t, "pools.xml:3: wrong", find(event.ReloadFailed)[0].Err)
}

func TestAPlanIsSubmittedOnce(t *testing.T) {
	c := start(t, Config{})
	h, out := submitLines(t, c, counting(1), prose(1, 100))
	_, err := c.Submit(t.Context(), h.run.plan, SubmitOptions{})
	require.ErrorIs(t, err, cluster.ErrPlanUsed)
	h.wait(t)
	require.Equal(t, oracle(t, counting(1), prose(1, 100)), out.String())
	_, err = c.Submit(t.Context(), nil, SubmitOptions{})
	require.ErrorIs(t, err, cluster.ErrNoPlan)
	_, err = Run(t.Context(), Config{}, nil)
	require.ErrorIs(t, err, cluster.ErrNoPlan)
}

// secondOffer is a custom policy: last job first, remote maps and reduces only at a second offer.
type secondOffer struct{}

func (secondOffer) Farthest(_ scheduling.View, o scheduling.Offer) scheduling.Locality {
	if o.Refused == 0 {
		return scheduling.NodeLocal
	}
	return scheduling.AnyPlace
}

func (secondOffer) Place(_ scheduling.View, o scheduling.Offer) int32 {
	if o.Refused > 0 {
		for i := range o.Waiting {
			return i
		}
	}
	return -1
}

func (secondOffer) Rank(_ scheduling.View, id scheduling.JobID, _ scheduling.TaskKind) float64 {
	return -float64(id)
}

// A job under external policies has the right output. A later process with these policies can open
// the cluster's state; without them it fails and names the missing policy.
func TestPartsFromOutside(t *testing.T) {
	cfg := Config{
		Nodes: 3, MapSlots: 1, ReduceSlots: 1, BlockSize: 60, Replication: 1,
		Policy: scheduling.Policy{
			Order: "last", SlowStart: 0.5, Locality: scheduling.LocalityPolicy{Part: "second"}, Reduce: scheduling.ReducePolicy{Part: "second"},
		},
		Parts: scheduling.Parts{
			Orders:  map[string]func() scheduling.JobOrder{"last": func() scheduling.JobOrder { return secondOffer{} }},
			Maps:    map[string]func() scheduling.MapPlacement{"second": func() scheduling.MapPlacement { return secondOffer{} }},
			Reduces: map[string]func() scheduling.ReducePlacement{"second": func() scheduling.ReducePlacement { return secondOffer{} }},
		},
	}
	dir, text := t.TempDir(), prose(5, 60)
	remembering(t, dir, cfg, func(t *testing.T, c *Cluster) {
		h, out := submitLines(t, c, slow(3), text)
		pass(300 * time.Millisecond)                   // on the log
		none, err := Start(Config{Policy: cfg.Policy}) // Start must leave no goroutine, or the bubble fails
		require.Nil(t, none)
		require.ErrorIs(t, err, scheduling.ErrUnknownPolicy)
		require.ErrorContains(t, err, `no order "last"`)
		h.wait(t)
		require.Equal(t, oracle(t, counting(3), text), out.String())
	})
	_, err := state.Open(dir, scheduling.Parts{})
	require.ErrorIs(t, err, scheduling.ErrUnknownPolicy)
	saved, err := state.Open(dir, cfg.Parts)
	require.NoError(t, err)
	durable, err := saved.Former()
	require.NoError(t, err)
	require.Len(t, durable.Nodes, 3)
	require.NoError(t, saved.Close())
}

// The recorded calls of the scheduling core in a live run with failures, made on a new core, have
// the same actions as results.
func TestReplay(t *testing.T) {
	for _, preset := range scheduling.Presets() {
		for seed := range uint64(3) {
			var log bytes.Buffer
			writer := calls.NewWriter(&log)
			heartbeats, launches := 0, 0
			cfg := Config{
				Nodes: 6, Racks: 2, MapSlots: 2, ReduceSlots: 1, BlockSize: 40, Scheduler: preset, Seed: seed, Expiry: 10 * time.Second,
				Calls: func(c *calls.Call) {
					writer.Write(c)
					if c.Op == calls.Heartbeat {
						heartbeats++
						launches += len(c.Actions)
					}
				},
			}
			rng := rand.New(rand.NewPCG(seed, 5))
			bubble(t, cfg, func(t *testing.T, c *Cluster) {
				var jobs []*JobHandle
				for i := range 6 {
					p, _ := bindLines(t, counting(2), prose(seed+uint64(i), 30))
					jobs = append(jobs, c.submit(t, p, SubmitOptions{User: string(rune('a' + i%3))}))
					pass(time.Duration(rng.IntN(20)) * time.Millisecond)
				}
				require.NoError(t, c.KillNode("node-03"))
				for _, h := range jobs {
					h.wait(t)
				}
			})
			require.NoError(t, writer.Err())
			require.Greater(t, heartbeats, 20)
			require.Greater(t, launches, 30)

			policy, err := cfg.withDefaults().policy()
			require.NoError(t, err)
			full := cfg.withDefaults()
			core, err := scheduling.NewCore(scheduling.Config{
				HeartbeatInterval: full.HeartbeatInterval, Expiry: full.Expiry, MaxAttempts: full.MaxAttempts,
			}, policy)
			require.NoError(t, err)
			require.NoError(t, core.Replay(&log), "preset %s, seed %d", preset, seed)
		}
	}
}

// A State records a job, and its next cluster awaits the job if it is unfinished, only if the job
// has a key. A cluster without a State ignores keys.
func TestOnlyJobsWithAKeyAreRecorded(t *testing.T) {
	runLines(t, start(t, Config{}), counting(1), "a b\n", SubmitOptions{Key: "a key"})
	for key, awaited := range map[string]int{"": 0, "a key": 1} {
		dir := t.TempDir()
		remembering(t, dir, Config{}, func(t *testing.T, c *Cluster) {
			runLines(t, c, counting(1), "a b\n", SubmitOptions{Key: key})
			_, yes := c.env.cfg.State.Succeeded(key)
			require.Equal(t, key != "", yes)
			submitLines(t, c, tasked(1, untilKilled), "a\n", SubmitOptions{Key: key + key})
		})
		saved, err := state.Open(dir, scheduling.Parts{})
		require.NoError(t, err)
		durable, err := saved.Former()
		require.NoError(t, err)
		require.Len(t, durable.Active, awaited)
		require.Equal(t, awaited > 0, saved.Awaited(key+key) > 0)
		require.NoError(t, saved.Close())
	}
}

// callOf names a message to the scheduler: a repeated message alike, different ones differently.
func TestCallsAreNamed(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range []any{
		&heartbeat{beat: scheduling.Heartbeat{Node: 1}}, &heartbeat{beat: scheduling.Heartbeat{Node: 2}},
		&join{spec: scheduling.Node{Name: "a"}}, &join{spec: scheduling.Node{Name: "b"}},
		&asked{command: &leave{node: 1}}, &asked{command: &leave{node: 2}},
		&commitRequest{attempt: scheduling.AttemptID{Try: 1}}, &commitRequest{attempt: scheduling.AttemptID{Try: 2}},
		&tick{}, &asked{command: &submit{}},
	} {
		require.False(t, seen[callOf(m)], callOf(m))
		seen[callOf(m)] = true
	}
	require.Equal(t, callOf(&heartbeat{beat: scheduling.Heartbeat{Node: 1}}),
		callOf(&heartbeat{beat: scheduling.Heartbeat{Node: 1, Seq: 7}}))
}
