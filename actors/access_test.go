package actors

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/counter"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/access"
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

// Access lists hold for an explicit pool or queue, at submission and when a job moves. They admit
// permitted users.
func TestRulesGuardPools(t *testing.T) {
	c := start(t, Config{Rules: closedRules(t)})
	for _, o := range []SubmitOptions{
		{User: "eve", Pool: "prod"},
		{User: "eve"}, // pool "eve" is not in the lists
		{Pool: "prod"},
		{User: "eve", Pool: "open", Queue: "prod"},
	} {
		p, _ := bindLines(t, counting(1), "a b\n")
		_, err := c.Submit(t.Context(), p, o)
		require.ErrorIs(t, err, access.ErrDenied, "%+v", o)
		require.ErrorContains(t, err, "may not submit")
	}
	for _, o := range []SubmitOptions{{User: "ann", Pool: "prod"}, {User: "bob", Groups: []string{"staff"}, Pool: " prod "}, {User: "eve", Pool: "open"}} {
		p, _ := bindLines(t, counting(1), "a b\n")
		c.submit(t, p, o).wait(t)
	}
}

func TestRulesGuardMoves(t *testing.T) {
	c := start(t, Config{Rules: closedRules(t)})
	hold := make(chan struct{})
	job := counting(1)
	job.Map = func([]byte, func(string, int64)) error {
		<-hold
		return nil
	}
	p, _ := bindLines(t, job, "a b\n")
	h := c.submit(t, p, SubmitOptions{User: "eve", Pool: "open"})
	require.ErrorIs(t, h.SetPool(h.run.who, "prod"), access.ErrDenied)
	require.NoError(t, h.SetPool(h.run.who, "open"))
	close(hold)
	require.Zero(t, h.wait(t).Counters.Get(counter.MapOutputRecords))
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
		h, err := c.Submit(t.Context(), first(bindLines(t, counting(1), "a\n")), SubmitOptions{User: "eve"})
		if err == nil {
			h.wait(t)
		}
		return err
	}
	require.Error(t, c.Reload(bad, closed))
	require.NoError(t, submit(), "the old rules stay effective")
	require.NoError(t, c.Reload(pools, closed))
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

// After a reload from pools to queues, or back, Submit admits jobs as the new policy says.
func TestAdmissionFollowsThePolicyInForce(t *testing.T) {
	rules := closedRules(t)
	c := start(t, Config{Rules: rules})
	pools, err := scheduling.Preset("hfs")
	require.NoError(t, err)
	queues, err := scheduling.Preset("capacity")
	require.NoError(t, err)
	queues.Queues = []scheduling.QueueConfig{{Name: "open", Capacity: 50}, {Name: "prod", Capacity: 50}}
	submit := func(o SubmitOptions) (string, error) {
		h, err := c.Submit(t.Context(), wordCount(t, "a b\n", 1), o)
		if err != nil {
			return "", err
		}
		var job view.Job
		require.NoError(t, c.Inspect(func(v scheduling.View) { job, err = v.Job(h.ID()) }))
		require.NoError(t, err)
		h.wait(t)
		return job.Pool, nil
	}
	for range 2 {
		require.NoError(t, c.Reload(queues, rules))
		for _, o := range []SubmitOptions{{User: "ann", Queue: "prod"}, {User: "eve", Queue: "open"}} {
			got, err := submit(o)
			require.NoError(t, err)
			require.Equal(t, o.Queue, got)
		}
		_, err = submit(SubmitOptions{User: "eve", Queue: "prod"})
		require.ErrorIs(t, err, access.ErrDenied)
		_, err = submit(SubmitOptions{User: "ann", Pool: "prod"})
		require.Error(t, err)

		require.NoError(t, c.Reload(pools, rules))
		got, err := submit(SubmitOptions{User: "ann", Pool: "prod"})
		require.NoError(t, err)
		require.Equal(t, "prod", got)
		_, err = submit(SubmitOptions{User: "eve", Pool: "prod"})
		require.ErrorIs(t, err, access.ErrDenied)
	}
}

// Submit rejects a pool or queue that the scheduler does not use or know, and does not ignore it.
func TestPlacesThatDoNotExistAreRefused(t *testing.T) {
	listed := scheduling.Policy{Order: "pools", Pools: scheduling.Allocations{Pools: []scheduling.PoolConfig{{Name: "a"}}}}
	for _, x := range []struct {
		cfg  Config
		o    SubmitOptions
		want error
		text string
	}{
		{Config{}, SubmitOptions{Queue: "q"}, scheduling.ErrUnknownQueue, `unknown queue "q": scheduler hfs has no queues`},
		{Config{}, SubmitOptions{Pool: "any"}, nil, ""},
		{Config{Scheduler: "fifo"}, SubmitOptions{Pool: "p"}, scheduling.ErrUnknownPool, `unknown pool "p": scheduler fifo has no pools`},
		{Config{Scheduler: "capacity"}, SubmitOptions{Pool: "p"}, scheduling.ErrUnknownPool, `scheduler capacity has no pools`},
		{Config{Scheduler: "capacity"}, SubmitOptions{Queue: "q"}, scheduling.ErrUnknownQueue, `"q" is not a leaf queue`},
		{Config{Scheduler: "capacity"}, SubmitOptions{Queue: "default"}, nil, ""},
		{Config{Policy: listed}, SubmitOptions{Pool: "b"}, scheduling.ErrUnknownPool, `unknown pool "b"`},
		{Config{Policy: listed}, SubmitOptions{Pool: "a"}, nil, ""},
		{Config{Policy: listed}, SubmitOptions{Pool: "default"}, nil, ""},
	} {
		c := start(t, x.cfg)
		h, err := c.Submit(t.Context(), wordCount(t, "a b\n", 1), x.o)
		require.True(t, errors.Is(err, x.want), "%+v: %v", x.o, err)
		if err == nil {
			h.wait(t)
			continue
		}
		require.ErrorContains(t, err, x.text)
		require.NotContains(t, err.Error(), "\n")
	}
}

func TestAPlanIsSubmittedOnce(t *testing.T) {
	c := start(t, Config{})
	p, out := bindLines(t, counting(1), prose(1, 100))
	h := c.submit(t, p, SubmitOptions{})
	_, err := c.Submit(t.Context(), p, SubmitOptions{})
	require.ErrorIs(t, err, cluster.ErrPlanUsed)
	h.wait(t)
	require.Equal(t, oracle(t, counting(1), prose(1, 100)), out.String())
	_, err = c.Submit(t.Context(), nil, SubmitOptions{})
	require.ErrorIs(t, err, cluster.ErrNoPlan)
	_, err = Run(t.Context(), Config{}, nil)
	require.ErrorIs(t, err, cluster.ErrNoPlan)
}
