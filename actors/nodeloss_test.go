package actors

import (
	"bytes"
	"log/slog"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce/counter"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/event"
)

func TestLostMessages(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 3))
		var mu sync.Mutex
		cfg := Config{Nodes: 4, Racks: 2, MapSlots: 2, ReduceSlots: 1, BlockSize: 200, Seed: seed}
		cfg.deliver = losing(func(any) bool {
			mu.Lock()
			defer mu.Unlock()
			return rng.IntN(3) == 0
		})
		text := prose(seed, 100)
		bubble(t, cfg, func(t *testing.T, c *Cluster) {
			p, out := bindLines(t, counting(3), text)
			r := c.submit(t, p, SubmitOptions{}).wait(t)
			require.Equal(t, oracle(t, counting(3), text), out.String(), "seed %d", seed)
			maps, reduces := launches(r)
			require.EqualValues(t, r.Counters.Get(counter.ShuffledMaps), maps*3, "seed %d", seed)
			require.EqualValues(t, 3, reduces, "an order that comes twice is carried out once; seed %d", seed)
		})
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

// A job does not wait for an attempt of a dead node whose user code continues. Another attempt
// completes the task. The first one ends later and changes nothing.
func TestZombieIsNotWaitedFor(t *testing.T) {
	var events recorder
	bubble(t, Config{Nodes: 2, MapSlots: 1, Events: events.add}, func(t *testing.T, c *Cluster) {
		release := make(chan struct{})
		var tries atomic.Int32
		job := counting(1)
		job.Map = func(line []byte, emit func(string, int64)) error {
			if tries.Add(1) == 1 {
				<-release
			}
			return words(line, emit)
		}
		p, out := bindLines(t, job, "a b\n")
		h := c.submit(t, p, SubmitOptions{})
		synctest.Wait()
		began := time.Now()
		require.NoError(t, c.KillNode(events.of(event.Launched)[0].NodeName))
		h.wait(t)
		require.Less(t, time.Since(began), c.env.cfg.Expiry+time.Minute)
		require.Equal(t, "a\t1\nb\t1\n", out.String())
		close(release)
		synctest.Wait()
		require.Equal(t, "a\t1\nb\t1\n", out.String())
		c.requireNothingHeld(t)
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

func TestStoppedNodeIsLeftAtOnce(t *testing.T) {
	var events recorder
	bubble(t, Config{Nodes: 3, MapSlots: 1, Events: events.add}, func(t *testing.T, c *Cluster) {
		h, out, release := c.hold(t, SubmitOptions{})
		began := time.Now()
		require.NoError(t, c.StopNode(events.of(event.Launched)[0].NodeName))
		close(release)
		h.wait(t)
		require.Less(t, time.Since(began), time.Minute)
		require.Equal(t, "hold\t1\nme\t1\n", out.String())
	})
}

// The node of a finished map dies before any reduce starts. The reduce reports that it cannot fetch
// the map's output, and the map reruns long before the node expires.
func TestNodeDiesWithMapOutputs(t *testing.T) {
	var events recorder
	cfg := Config{Nodes: 4, MapSlots: 1, Replication: 4, BlockSize: 20, Events: events.add}
	bubble(t, cfg, func(t *testing.T, c *Cluster) {
		release := make(chan struct{})
		job := counting(1)
		job.Map, job.MapTask = nil, holding(release)
		text := "hold this first one\nthen the second one\nand there is third.\n"
		p, out := bindLines(t, job, text)
		h := c.submit(t, p, SubmitOptions{SlowStart: 1})
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

func TestCordonedNodeGetsNothing(t *testing.T) {
	var events recorder
	bubble(t, Config{Nodes: 2, MapSlots: 1, BlockSize: 10, Events: events.add}, func(t *testing.T, c *Cluster) {
		require.NoError(t, c.Cordon("node-00", true))
		c.submit(t, wordCount(t, prose(1, 20), 1), SubmitOptions{}).wait(t)
		for _, e := range events.of(event.Launched) {
			require.Equal(t, "node-01", e.NodeName)
		}
		require.NoError(t, c.Cordon("node-00", false))
		require.NoError(t, c.Cordon("node-01", true))
		c.submit(t, wordCount(t, prose(1, 20), 1), SubmitOptions{}).wait(t)
		last := events.of(event.Launched)
		require.Equal(t, "node-00", last[len(last)-1].NodeName)
	})
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
			got, err := c.env.sys.Root.RequestFuture(c.jobTracker, &commitRequest{attempt: id}, time.Second).Result()
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
