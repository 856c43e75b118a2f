package actors

import (
	"os"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/stretchr/testify/require"
)

// A cluster has a heap ballast only if it has enough memory and a large job: for small jobs it
// would cost a collection.
func TestHeapBallast(t *testing.T) {
	for _, x := range []struct {
		memory, input int64
		want          bool
	}{{0, ballastInput, true}, {ballastMemory, ballastInput, true}, {ballastMemory - 1, ballastInput, false}, {0, ballastInput - 1, false}} {
		e := &env{cfg: Config{Memory: x.memory}}
		e.keepHeapBallast(x.input)
		require.Equal(t, x.want, e.ballast != nil, "%+v", x)
	}
}

// stop waits for an actor that still has a minute of work, as a JobTracker with thousands of nodes
// may have. The actor library's own futures give up earlier.
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

// A cluster of 1,000 nodes starts, runs a job and stops. Costs that grow with the square of the
// nodes would make this slow. LONG_TESTS=1 takes 10,000, the most that the command line allows.
func TestManyNodes(t *testing.T) {
	nodes := 1_000
	if os.Getenv("LONG_TESTS") != "" {
		nodes = 10_000
	}
	c, err := Start(Config{Nodes: nodes, Racks: nodes / 100, MapSlots: 1, ReduceSlots: 1})
	require.NoError(t, err)
	text := prose(1, 100)
	_, out := runLines(t, c, counting(1), text)
	require.Equal(t, oracle(t, counting(1), text), out)
	require.NoError(t, c.KillNode("node-07"))
	require.NoError(t, c.StopNode("node-08"))
	require.NoError(t, c.Close())
}
