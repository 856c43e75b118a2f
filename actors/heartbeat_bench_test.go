package actors

import (
	"context"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/dfs"
	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/scheduling"
)

// pretender is an actor in the place of a node: it hands on what the JobTracker answers.
type pretender struct {
	node // reports blocks, does nothing else
	up   chan struct{}
	acks chan *heartbeatAck
}

// Receive implements actor.Actor.
func (p *pretender) Receive(c actor.Context) {
	switch m := c.Message().(type) {
	case *joined:
		close(p.up)
	case *heartbeatAck:
		p.acks <- m
	case *reportBlocks:
		p.reportBlocks(c)
	}
}

// pretend takes the place of the first node and returns what sends a heartbeat of its and
// waits for the answer.
func pretend(b *testing.B, c *Cluster) (beat func(reports ...*report) *heartbeatAck) {
	b.Helper()
	require.NoError(b, c.env.sys.stop(c.nodes[0]))
	c.nodes[0] = nil
	at := c.env.places[0]
	p := &pretender{node: node{env: c.env, at: at, nameNode: c.nameNode}, up: make(chan struct{}), acks: make(chan *heartbeatAck, 1)}
	root := c.env.sys.Root
	pid := root.Spawn(c.env.sys.props(func() actor.Actor { return p }))
	const life = 1 << 40
	stored, err := c.env.fs.Inventory(dfs.NodeID(at.name))
	require.NoError(b, err)
	root.Send(c.nameNode, &nodeUp{report: stored, pid: pid, life: life})
	root.RequestWithCustomSender(c.jobTracker, &join{pid: pid, spec: scheduling.Node{
		Name: at.name, Rack: at.rack, Incarnation: life, MapSlots: c.env.cfg.MapSlots, ReduceSlots: c.env.cfg.ReduceSlots,
	}}, pid)
	<-p.up
	var seq uint64
	return func(reports ...*report) *heartbeatAck {
		seq++
		h := &heartbeat{reports: reports, beat: scheduling.Heartbeat{Node: at.id, Incarnation: life, Seq: seq}}
		for _, r := range reports {
			h.beat.Statuses = append(h.beat.Statuses, r.status)
		}
		root.RequestWithCustomSender(c.jobTracker, h, pid)
		return <-p.acks
	}
}

// silent is a cluster whose nodes send no heartbeats of their own.
func silent(nodes int) Config {
	return Config{Nodes: nodes, MapSlots: 1, ReduceSlots: 1, BlockSize: 1, HeartbeatInterval: time.Hour, Expiry: 10 * time.Hour}
}

// BenchmarkHeartbeat is one heartbeat, from a node's message to the JobTracker's answer:
// of a node with nothing to tell and to do, and of one that tells of a map's end and is
// given the next.
func BenchmarkHeartbeat(b *testing.B) {
	for _, nodes := range []int{1, 40} {
		b.Run(fmt.Sprintf("idle/nodes=%d", nodes), func(b *testing.B) {
			beat := pretend(b, startB(b, silent(nodes)))
			b.ReportAllocs()
			for b.Loop() {
				require.Empty(b, beat().orders)
			}
		})
	}
	b.Run("launch", func(b *testing.B) {
		c := startB(b, silent(1))
		beat := pretend(b, c)
		b.ReportAllocs()
		var job *JobHandle
		var told []*report
		for b.Loop() {
			ack := beat(told...)
			if len(ack.orders) == 0 {
				b.StopTimer()
				job = c.submit(b, emptyTasks(b, 100_000, false), SubmitOptions{})
				ack = beat()
				b.StartTimer()
			}
			require.Len(b, ack.orders, 1)
			told = ended(ack.orders[0].Attempt)
		}
		require.NoError(b, job.Kill("enough"))
		beat(told...)
		<-job.Done()
	})
}

// ended is the report of a map that succeeded.
func ended(id scheduling.AttemptID) []*report {
	return []*report{{
		status:   scheduling.Status{Attempt: id, State: scheduling.StateSucceeded, Progress: 1},
		counters: new(mapreduce.Counters),
	}}
}

// BenchmarkSubmit is the way of a job from Submit to the user's code of its first map, on
// an idle cluster.
func BenchmarkSubmit(b *testing.B) {
	for _, nodes := range []int{1, 40} {
		b.Run(fmt.Sprintf("nodes=%d", nodes), func(b *testing.B) {
			c := startB(b, Config{Nodes: nodes, Racks: min(nodes, 4)})
			began := make(chan struct{}, 1)
			job := mapreduce.MapOnly[[]byte, string]{Map: func([]byte, func(string)) error {
				began <- struct{}{}
				return nil
			}}
			b.ReportAllocs()
			for b.Loop() {
				p, err := job.Bind(mapreduce.Chunks(mapreduce.Bytes("text", []byte("a"))), mapreduce.Text[string](mapreduce.Writer("none", io.Discard)))
				require.NoError(b, err)
				h := c.submit(b, p, SubmitOptions{})
				<-began
				b.StopTimer()
				_, err = h.Wait(context.Background())
				require.NoError(b, err)
				b.StartTimer()
			}
		})
	}
}
