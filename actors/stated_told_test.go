package actors

import (
	"bytes"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/event"
)

// TestLeavingIsToldAtOnce states that whoever watches hears of a node that is taken out when it is,
// not when the JobTracker next has something to do.
func TestLeavingIsToldAtOnce(t *testing.T) {
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

// requests is a context that keeps what is requested.
type requests struct {
	actor.Context
	asked []any
}

func (r *requests) Request(_ *actor.PID, msg any) { r.asked = append(r.asked, msg) }

// TestWhenANodeBeatsAgain states that the answer to a heartbeat is followed by the next at once if one
// was due meanwhile or an attempt has ended, and else by none.
func TestWhenANodeBeatsAgain(t *testing.T) {
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

// keeper is data with a Release; a slice in it, and it cannot be compared.
type keeper struct{ of *int }

func (keeper) Release() {}

type uncomparable struct{ _ []int }

func (uncomparable) Release() {}

// TestWhatIsTheSame states that data is the same if it can be released and is equal; what cannot be
// compared, or released, is not.
func TestWhatIsTheSame(t *testing.T) {
	a, b := new(int), new(int)
	require.True(t, same(keeper{a}, keeper{a}))
	require.False(t, same(keeper{a}, keeper{b}))
	require.False(t, same(1, 1))
	require.False(t, same(uncomparable{}, uncomparable{}))
	require.False(t, same(keeper{a}, uncomparable{}))
}

// TestWhatCannotBeRemovedIsLogged states that an attempt whose output stays where it is says so.
func TestWhatCannotBeRemovedIsLogged(t *testing.T) {
	var buf bytes.Buffer
	a := &attempt{
		env: &env{cfg: Config{Logger: slog.New(slog.NewTextHandler(&buf, nil))}},
		run: &run{plan: new(mapreduce.Plan)}, // of which nothing can be aborted
	}
	a.discard()
	require.Contains(t, buf.String(), "cannot remove the output of an attempt")
}
