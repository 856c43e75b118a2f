package actors

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/scheduling"
)

// scriptedTracker is a JobTracker for one node. It answers heartbeats with the test's actions.
type scriptedTracker struct {
	actions []action
	pid     *actor.PID

	mu       sync.Mutex
	statuses []scheduling.Status // all statuses received
	joins    int
}

// Receive implements actor.Actor.
func (s *scriptedTracker) Receive(c actor.Context) {
	switch m := c.Message().(type) {
	case *join:
		s.mu.Lock()
		s.joins++
		s.mu.Unlock()
		s.pid = m.pid
		c.Respond(&joined{incarnation: m.spec.Incarnation})
	case *heartbeat:
		s.mu.Lock()
		s.statuses = append(s.statuses, m.beat.Statuses...)
		s.mu.Unlock()
		c.Respond(&heartbeatAck{seq: m.beat.Seq, incarnation: m.beat.Incarnation, actions: s.actions})
		s.actions = nil
	case *commitRequest:
		c.Respond(&commitAnswer{attempt: m.attempt, granted: true})
	case []action:
		s.actions = m
		c.Send(s.pid, &poke{})
	}
}

// aloneNode starts a node with one map slot and a scriptedTracker that gives it actions.
func aloneNode(t *testing.T, parallelism int) (*env, *scriptedTracker, func(...action), func()) {
	t.Helper()
	c, err := Start(Config{MapSlots: 1, Parallelism: parallelism})
	require.NoError(t, err)
	st := &scriptedTracker{}
	jt := c.env.sys.Root.Spawn(c.env.sys.props(func() actor.Actor { return st }))
	n := c.env.sys.Root.Spawn(c.env.sys.props(func() actor.Actor {
		return &node{env: c.env, at: c.env.places[0], jobTracker: jt, nameNode: c.nameNode}
	}))
	synctest.Wait()
	give := func(o ...action) {
		c.env.sys.Root.Send(jt, o)
		synctest.Wait()
	}
	return c.env, st, give, func() {
		require.NoError(t, c.env.sys.stop(n))
		require.NoError(t, c.env.sys.stop(jt))
		require.NoError(t, c.Close())
		pass(time.Second)
	}
}

// counted returns a run of one map that counts lines in seen and waits for step at the first one.
// Its lines are long, so that the attempt often checks whether it is suspended.
func counted(t *testing.T, e *env, id scheduling.JobID, lines int, step <-chan struct{}, seen *atomic.Int64) *run {
	t.Helper()
	job := counting(1)
	job.Map = func([]byte, func(string, int64)) error {
		if seen.Add(1) == 1 {
			<-step
		}
		return nil
	}
	p, _ := bindLines(t, job, strings.Repeat(strings.Repeat("x", 100<<10)+"\n", lines))
	require.NoError(t, p.SetupJob())
	require.NoError(t, p.Prepare(context.Background(), cluster.PrepareOptions{}))
	r := newRun(e, p, "", "none")
	r.id = id
	var err error
	r.splits, err = p.Splits(context.Background(), nil)
	require.NoError(t, err)
	r.shuffle = newShuffle(len(r.splits))
	return r
}

func mapID(job scheduling.JobID, index int32) scheduling.AttemptID {
	return scheduling.AttemptID{Task: scheduling.TaskID{Job: job, Kind: scheduling.Map, Index: index}}
}

func (s *scriptedTracker) last(id scheduling.AttemptID) scheduling.AttemptState {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, st := range slices.Backward(s.statuses) {
		if st.Attempt == id {
			return st.State
		}
	}
	return 255
}

// A suspended attempt stops between two records and returns its slot and compute token. Another
// attempt runs in the slot. When the first one resumes, it continues at the next record and repeats
// nothing.
func TestSuspendedAttemptGivesItsSlotBack(t *testing.T) {
	for _, parallelism := range []int{0, 1} {
		synctest.Test(t, func(t *testing.T) {
			e, jt, give, stop := aloneNode(t, parallelism)
			defer stop()
			const lines = 60
			step := make(chan struct{})
			var seen1, seen2 atomic.Int64
			long, short := mapID(1, 0), mapID(2, 0)
			r1, r2 := counted(t, e, 1, lines, step, &seen1), counted(t, e, 2, 10, closed(), &seen2)

			launch := action{Action: scheduling.Action{Verb: scheduling.Launch, Attempt: long}, run: r1}
			give(launch)
			give(launch) // a repeated action is executed once
			give(action{Action: scheduling.Action{Verb: scheduling.Suspend, Attempt: long}})
			close(step)
			pass(time.Second)
			require.Equal(t, scheduling.StateSuspended, jt.last(long))
			stopped := seen1.Load()
			require.Less(t, stopped, int64(lines), "it stops before its end")

			give(action{Action: scheduling.Action{Verb: scheduling.Launch, Attempt: short}, run: r2})
			require.Equal(t, scheduling.StateSucceeded, jt.last(short))
			pass(time.Hour)
			require.Equal(t, stopped, seen1.Load())

			give(action{Action: scheduling.Action{Verb: scheduling.Resume, Attempt: long}})
			require.Equal(t, scheduling.StateSucceeded, jt.last(long))
			require.EqualValues(t, lines, seen1.Load(), "nothing is repeated")
			r1.outputs[0].Release()
			r2.outputs[0].Release()
		})
	}
}

func TestSuspendedAttemptCanBeKilled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, jt, give, stop := aloneNode(t, 1)
		defer stop()
		step := make(chan struct{})
		var seen atomic.Int64
		id := mapID(1, 0)
		give(action{Action: scheduling.Action{Verb: scheduling.Launch, Attempt: id}, run: counted(t, e, 1, 60, step, &seen)})
		give(action{Action: scheduling.Action{Verb: scheduling.Suspend, Attempt: id}})
		close(step)
		synctest.Wait()
		give(action{Action: scheduling.Action{Verb: scheduling.Kill, Attempt: id}})
		require.Equal(t, scheduling.StateKilled, jt.last(id))
		require.Less(t, seen.Load(), int64(60))
		require.Equal(t, 1, jt.joins)
	})
}

func closed() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}

func TestGate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g gate
		require.NoError(t, g.wait(t.Context()))
		g.hold(true)
		g.hold(true)
		passed := make(chan error, 1)
		go func() { passed <- g.wait(t.Context()) }()
		synctest.Wait()
		require.Empty(t, passed)
		g.hold(false)
		require.NoError(t, <-passed)

		g.hold(true)
		ctx, cancel := context.WithCancelCause(t.Context())
		go func() { passed <- g.wait(ctx) }()
		synctest.Wait()
		cancel(errStopped)
		require.ErrorIs(t, <-passed, errStopped)
	})
}

// The channel of gate.shutting closes when the gate shuts, and is already closed while it is shut.
func TestGateTellsThatItShuts(t *testing.T) {
	isClosed := func(c <-chan struct{}) bool {
		select {
		case <-c:
			return true
		default:
			return false
		}
	}
	var g gate
	early := g.shutting()
	require.Equal(t, early, g.shutting())
	require.False(t, isClosed(early))
	g.hold(false)
	require.False(t, isClosed(early))
	g.hold(true)
	require.True(t, isClosed(early))
	require.True(t, isClosed(g.shutting()))
	require.True(t, isClosed(g.shutting()), "twice")
	g.hold(false)
	require.False(t, isClosed(g.shutting()))
}
