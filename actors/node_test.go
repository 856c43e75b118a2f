package actors

import (
	"bytes"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce/counter"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/event"
)

// requests is an actor's context that records the requests sent with it.
type requests struct {
	actor.Context
	asked []any
}

func (r *requests) Request(_ *actor.PID, msg any) { r.asked = append(r.asked, msg) }

// After the answer to a heartbeat, a node sends the next one at once only if one fell due meanwhile
// or an attempt has ended.
func TestNextHeartbeatOfANode(t *testing.T) {
	clock := &env{start: time.Now()}
	for _, c := range []struct {
		again bool
		ended int
		beats int
	}{{false, 0, 0}, {true, 0, 1}, {false, 1, 1}, {true, 1, 1}} {
		n := &node{
			env: clock, at: &place{}, registered: true, life: 1, seq: 4, again: c.again,
			pending: &heartbeat{beat: scheduling.Heartbeat{Seq: 4}}, ended: make([]*report, c.ended),
		}
		for i := range n.ended {
			n.ended[i] = &report{}
		}
		var r requests
		n.answered(&r, &heartbeatAck{incarnation: 1, seq: 4})
		require.Len(t, r.asked, c.beats, "again %t, ended %d", c.again, c.ended)
	}
}

// A node starts no attempt twice, and ignores orders for one that it does not have.
func TestRepeatedActions(t *testing.T) {
	n := &node{running: []*slotAttempt{{attempt: &attempt{}}}}
	other := scheduling.AttemptID{Try: 1}
	for verb, id := range map[scheduling.Verb]scheduling.AttemptID{scheduling.Launch: {}, scheduling.Kill: other, scheduling.Suspend: other} {
		n.perform(nil, &action{Action: scheduling.Action{Verb: verb, Attempt: id}})
		require.Len(t, n.running, 1)
	}
}

func TestDeadNodeExpires(t *testing.T) {
	var events recorder
	cfg := Config{Nodes: 3, MapSlots: 1, Replication: 3, Events: events.add}
	bubble(t, cfg, func(t *testing.T, c *Cluster) {
		h, out, release := c.hold(t, SubmitOptions{MaxAttempts: 1})
		launched := events.of(event.Launched)
		require.Len(t, launched, 1)
		dead := launched[0].NodeName
		began := time.Now()
		require.NoError(t, c.KillNode(dead))
		close(release) // the dead node's attempt was stopped; the next may continue
		h.wait(t)
		require.GreaterOrEqual(t, time.Since(began), c.env.cfg.Expiry-c.env.cfg.HeartbeatInterval)
		require.Less(t, time.Since(began), c.env.cfg.Expiry+time.Minute)
		require.Equal(t, "hold\t1\nme\t1\n", out.String())
		require.Len(t, events.of(event.Lost), 1)
		require.Empty(t, events.of(event.Failed), "the loss of a node is no failure of the task")

		require.NoError(t, c.StartNode(dead))
		synctest.Wait()
		require.NoError(t, c.ask(onTurn(func(jt *jobTracker) error {
			require.NotNil(t, jt.nodes[launched[0].Node].pid)
			return nil
		})))
	})
}

// If the actor of a node panics, the node rejoins as a new incarnation. Its tasks rerun and do not
// count as failed. The log has the panic with its place.
func TestNodeActorPanics(t *testing.T) {
	var events recorder
	var logged bytes.Buffer
	cfg := Config{MapSlots: 1, Events: events.add, Logger: slog.New(slog.NewTextHandler(&logged, nil))}
	bubble(t, cfg, func(t *testing.T, c *Cluster) {
		h, out, release := c.hold(t, SubmitOptions{MaxAttempts: 1})
		c.env.sys.Root.Send(c.nodes[0], (*joined)(nil))
		synctest.Wait()
		close(release)
		h.wait(t)
		require.Equal(t, "hold\t1\nme\t1\n", out.String())
		require.Len(t, events.of(event.Joined), 2)
		require.Contains(t, logged.String(), "actor panics")
		require.Contains(t, logged.String(), "node.go")
	})
}

// The node of a finished map dies before any reduce starts. The reduce reports that it cannot fetch
// the map's output, and the map reruns long before the node expires.
func TestNodeDiesWithMapOutputs(t *testing.T) {
	var events recorder
	cfg := Config{Nodes: 4, MapSlots: 1, Replication: 4, BlockSize: 20, Events: events.add}
	bubble(t, cfg, func(t *testing.T, c *Cluster) {
		release := make(chan struct{})
		job := tasked(1, holding(release))
		text := "hold this first one\nthen the second one\nand there is third.\n"
		h, out := submitLines(t, c, job, text, SubmitOptions{SlowStart: 1})
		synctest.Wait()
		done := events.of(event.Succeeded)
		require.NotEmpty(t, done)
		var holder string
		for _, e := range events.of(event.Launched) {
			if !slices.ContainsFunc(done, func(d Event) bool { return d.Attempt == e.Attempt }) {
				holder = e.NodeName
			}
		}
		dead := done[slices.IndexFunc(done, func(e Event) bool { return e.NodeName != holder })].NodeName
		began := time.Now()
		require.NoError(t, c.KillNode(dead))
		close(release)
		r := h.wait(t)
		require.Less(t, time.Since(began), time.Minute)
		require.Equal(t, oracle(t, counting(1), text), out.String())
		require.NotEmpty(t, events.of(event.OutputLost))
		require.Empty(t, events.of(event.Lost))
		require.EqualValues(t, 3, r.Counters.Get(counter.ShuffledMaps), "each map counts once")
		require.EqualValues(t, 3, r.Counters.Get(counter.MapInputRecords))
	})
}

// A node's messages are lost for longer than the expiry, and its task restarts elsewhere. When its
// messages arrive once more, the node must register and stop its attempts, and commits nothing.
func TestSilentNodeComesBack(t *testing.T) {
	var events recorder
	var cut atomic.Pointer[string]
	cfg := Config{Nodes: 2, MapSlots: 1, ReduceSlots: 1, Replication: 2, Expiry: time.Minute, Events: events.add}
	cfg.deliver = losing(func(m any) bool {
		name := cut.Load()
		if name == nil {
			return false
		}
		switch m := m.(type) {
		case *join:
			return m.spec.Name == *name
		case *heartbeat:
			return nodeName(m.beat.Node) == *name
		}
		return false
	})
	bubble(t, cfg, func(t *testing.T, c *Cluster) {
		h, out, release := c.hold(t, SubmitOptions{})
		name := events.of(event.Launched)[0].NodeName
		cut.Store(&name)
		pass(2 * time.Minute)
		require.Len(t, events.of(event.Lost), 1)
		require.Len(t, events.of(event.Launched), 2, "again on the other node")
		cut.Store(nil)
		pass(time.Minute)
		require.Len(t, events.of(event.Joined), 3)
		require.Equal(t, 1, len(h.run.live), "the zombie was stopped")
		close(release)
		h.wait(t)
		require.Equal(t, "hold\t1\nme\t1\n", out.String())
		require.Len(t, events.of(event.Succeeded), 2)
	})
}

func nodeName(id scheduling.NodeID) string {
	return []string{"node-00", "node-01", "node-02", "node-03"}[id]
}

// The JobTracker grants the commit of a running attempt, but not that of an unknown attempt or job.
func TestCommitNeedsAGrant(t *testing.T) {
	var events recorder
	bubble(t, Config{MapSlots: 1, Events: events.add}, func(t *testing.T, c *Cluster) {
		h, _, release := c.hold(t, SubmitOptions{})
		live := events.of(event.Launched)[0].Attempt
		later, other := live, live
		later.Try++
		other.Task.Job++
		for id, want := range map[scheduling.AttemptID]bool{live: true, later: false, other: false} {
			got, err := c.env.sys.Root.RequestFuture(c.env.jobTracker, &commitRequest{attempt: id}, time.Second).Result()
			require.NoError(t, err)
			require.Equal(t, want, got.(*commitAnswer).granted, id)
		}
		close(release)
		h.wait(t)
	})
}

// Config.Events gets the event of a stopped node at once, not at the next action of the JobTracker.
func TestLeavingIsReportedAtOnce(t *testing.T) {
	var mu sync.Mutex
	var told []event.Type
	cfg := Config{Nodes: 2, Events: func(e Event) {
		mu.Lock()
		defer mu.Unlock()
		told = append(told, e.Type)
	}}
	bubble(t, cfg, func(t *testing.T, c *Cluster) {
		pass(time.Millisecond)
		told = nil
		require.NoError(t, c.StopNode("node-01"))
		pass(0)
		require.Equal(t, []event.Type{event.Lost}, told)
	})
}
