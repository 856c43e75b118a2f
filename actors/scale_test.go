package actors

import (
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/stretchr/testify/require"
)

// TestStopWaitsForABusyActor gives an actor work before its end that takes longer than the
// library's own futures wait, as for a JobTracker with thousands of nodes.
func TestStopWaitsForABusyActor(t *testing.T) {
	bubble(t, Config{}, func(t *testing.T, c *Cluster) {
		done := 0
		sys := c.env.sys
		pid := sys.Root.Spawn(sys.props(func() actor.Actor {
			return actor.ReceiveFunc(func(ac actor.Context) {
				if _, ok := ac.Message().(*poke); ok {
					<-time.After(time.Second)
					done++
				}
			})
		}))
		for range 60 {
			sys.Root.Send(pid, &poke{})
		}
		require.NoError(t, sys.stop(pid))
		require.Equal(t, 60, done)
		require.NoError(t, sys.stop(pid, nil), "one that has stopped is not waited for")
	})
}

// TestManyNodes starts and stops the largest cluster that the command line allows with
// LONG_TESTS=1, and a tenth of it without. Costs that grow with the square of the nodes show there.
func TestManyNodes(t *testing.T) {
	nodes := 1_000
	if os.Getenv("LONG_TESTS") != "" {
		nodes = 10_000
	}
	c, err := Start(Config{Nodes: nodes, Racks: nodes / 100, MapSlots: 1, ReduceSlots: 1})
	require.NoError(t, err)
	text := prose(1, 100)
	p, out := bindLines(t, counting(1), text)
	c.submit(t, p, SubmitOptions{}).wait(t)
	require.Equal(t, oracle(t, counting(1), text), out.String())
	require.NoError(t, c.KillNode("node-07"))
	require.NoError(t, c.StopNode("node-08"))
	require.NoError(t, c.Close())
}

// TestConfigBounds: numbers that no machine can serve are refused before anything is allocated.
func TestConfigBounds(t *testing.T) {
	for _, cfg := range []Config{
		{Nodes: maxNodes + 1}, {Nodes: 1 << 30}, {MapSlots: maxSlots + 1}, {ReduceSlots: maxSlots + 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			_, err := Start(cfg)
			require.ErrorContains(t, err, "at most")
		})
	}
}
