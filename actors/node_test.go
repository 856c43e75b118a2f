package actors

import (
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling"
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
