package actors

import (
	"bytes"
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/event"
)

// testNetwork returns a network of 8 nodes with 100 bytes per second each, in 2 racks.
func testNetwork(c NetworkConfig) *network {
	c.NodeLink = 100
	return newNetwork(c, 8, 2)
}

// active counts the transfers in progress.
func (n *network) active() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.transfers)
}

// A transfer takes the time that its links need, which the network shares as package netmodel says.
func TestTransferTimes(t *testing.T) {
	for _, c := range []struct {
		config NetworkConfig
		to     []scheduling.NodeID // from node 0, at the same time
		want   time.Duration
	}{
		{to: []scheduling.NodeID{2}, want: 10 * time.Second},
		{to: []scheduling.NodeID{1}, want: 10 * time.Second},
		{to: []scheduling.NodeID{2, 4}, want: 20 * time.Second},
		{config: NetworkConfig{Oversubscription: 8}, to: []scheduling.NodeID{2}, want: 10 * time.Second},
		{config: NetworkConfig{Oversubscription: 8}, to: []scheduling.NodeID{1}, want: 20 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			n, began := testNetwork(c.config), time.Now()
			var all sync.WaitGroup
			for _, to := range c.to {
				all.Go(func() {
					_, err := n.carry(t.Context(), 0, to, 1000, nil)
					require.NoError(t, err)
					require.Equal(t, c.want, time.Since(began).Round(time.Microsecond))
				})
			}
			all.Wait()
			require.Zero(t, n.active())
		})
	}
	require.Nil(t, newNetwork(NetworkConfig{}, 8, 2))
}

// A transfer alone has the whole link. A second one halves its rate after 4 s and is canceled at 6
// s.
func TestTransfersThatComeAndGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, began := testNetwork(NetworkConfig{}), time.Now()
		var first time.Duration
		go func() {
			_, _ = n.carry(t.Context(), 0, 2, 1000, nil)
			first = time.Since(began)
		}()
		pass(4 * time.Second)
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(2*time.Second, func() { cancel(errStopped) })
		_, err := n.carry(ctx, 0, 4, 1000, nil)
		require.ErrorIs(t, err, errStopped)
		require.Equal(t, 6*time.Second, time.Since(began), "at once")
		pass(time.Hour)
		require.Equal(t, 11*time.Second, first.Round(time.Microsecond), "4 s alone, 2 s at half the rate, 5 s alone")
	})
}

func TestTransferIsHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, hold := testNetwork(NetworkConfig{}), make(chan struct{})
		time.AfterFunc(3*time.Second, func() { close(hold) })
		left, err := n.carry(t.Context(), 0, 2, 1000, hold)
		require.NoError(t, err)
		require.InDelta(t, 700, left, 1e-6)
		require.Zero(t, n.active())
	})
}

func TestTransferFromANodeThatDies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := testNetwork(NetworkConfig{})
		time.AfterFunc(time.Second, func() { n.cut(1) })
		time.AfterFunc(2*time.Second, func() { n.cut(0) })
		began := time.Now()
		_, err := n.carry(t.Context(), 0, 2, 1000, nil)
		require.ErrorIs(t, err, errCut)
		require.Equal(t, 2*time.Second, time.Since(began))
	})
}

// networked configures a cluster with links of 100 bytes/s and one replica per block of 1,000
// bytes.
func networked(nodes, racks int) Config {
	return Config{
		Nodes: nodes, Racks: racks, MapSlots: 2, ReduceSlots: 1, BlockSize: 1000, Replication: 1, Scheduler: "fifo",
		Network: NetworkConfig{NodeLink: 100, Oversubscription: 2},
	}
}

// On an emulated network a map reads a remote block at the rate of the link, and a local block
// without delay. Half of the nodes are cordoned, so that there are remote reads.
func TestNetworkSlowsRemoteReads(t *testing.T) {
	var events recorder
	cfg := networked(8, 2)
	cfg.Events = events.add
	text := bytes.Repeat([]byte("0123456789abcdefghi\n"), 50*16)
	bubble(t, cfg, func(t *testing.T, c *Cluster) {
		for _, name := range c.names()[:4] {
			require.NoError(t, c.Cordon(name, true))
		}
		_, out := runLines(t, c, counting(2), string(text))
		require.Equal(t, oracle(t, counting(2), string(text)), out)
		seen := map[bool]int{}
		for _, e := range events.of(event.Succeeded) {
			if e.Attempt.Task.Kind != scheduling.Map {
				continue
			}
			local := e.Locality == scheduling.NodeLocal
			seen[local]++
			if local {
				require.Zero(t, e.Phases.Read)
			} else {
				require.GreaterOrEqual(t, e.Phases.Read, 10*time.Second)
			}
		}
		require.Equal(t, 16, seen[true]+seen[false])
		require.Positive(t, seen[true])
		require.Positive(t, seen[false])
	})
}

// A suspended attempt's remote read pauses. Its Phases do not count the pause.
func TestSuspendedTransferStandsStill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &env{start: time.Now(), computeTokens: make(chan struct{}, 1)}
		e.places = []*place{{id: 0, name: "a", rack: "r"}, {id: 1, name: "b", rack: "r"}}
		e.byName = map[string]*place{"a": e.places[0], "b": e.places[1]}
		e.network = newNetwork(NetworkConfig{NodeLink: 100}, 2, 1)
		a := newAttempt(e, &run{splits: []cluster.Split{{Length: 1000, Hosts: []string{"a"}}}}, scheduling.AttemptID{}, e.places[1])
		require.NoError(t, a.acquireCompute())
		time.AfterFunc(4*time.Second, func() { a.gate.hold(true) })
		time.AfterFunc(time.Hour, func() { a.gate.hold(false) })
		var r report
		require.NoError(t, a.fetchSplit(&r))
		require.Equal(t, time.Hour+6*time.Second, time.Since(e.start).Round(time.Microsecond))
		require.Equal(t, 10*time.Second, r.phases.Read.Round(time.Microsecond))
		require.True(t, a.computes.Load(), "it computes on")
	})
}

// If a node dies while a reduce fetches from it, its maps rerun and the reduce fetches from others.
func TestSourceThatDiesMakesReducesWaitForAnother(t *testing.T) {
	cfg := networked(4, 2)
	cfg.Network.NodeLink, cfg.Expiry, cfg.Replication, cfg.ReducePlacement = 20, 10*time.Second, 2, "any"
	bubble(t, cfg, func(t *testing.T, c *Cluster) {
		text := prose(3, 200)
		h, out := submitLines(t, c, counting(1), text, SubmitOptions{SlowStart: 1})
		from := scheduling.NoNode
		for from == scheduling.NoNode {
			pass(100 * time.Millisecond)
			require.Equal(t, scheduling.JobRunning, h.Progress().State)
			c.env.network.mu.Lock()
			f, _, under := c.env.network.model.Next()
			if under && h.Progress().Maps.Done == h.Progress().Maps.Total {
				from = scheduling.NodeID(c.env.network.model.Sender(f))
			}
			c.env.network.mu.Unlock()
		}
		require.NoError(t, c.KillNode(c.env.places[from].name))
		r := h.wait(t)
		require.Equal(t, oracle(t, counting(1), text), out.String())
		maps, _ := launches(r)
		require.Greater(t, maps, int64(h.Progress().Maps.Total))
	})
}
