package own

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/calls"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// received is an action with the time at which a node received it.
type received struct {
	At     time.Duration
	Node   scheduling.NodeID
	Action scheduling.Action
}

// actions collects the actions with which a Core answers heartbeats.
type actions struct{ list []received }

func (o *actions) take(c *calls.Call) {
	for _, a := range c.Actions {
		a.Reason.Wait = 0
		o.list = append(o.list, received{c.At.Round(time.Millisecond), c.Node, a})
	}
}

func (o *actions) sorted() []string {
	slices.SortStableFunc(o.list, func(a, b received) int {
		return cmp.Or(cmp.Compare(a.At, b.At),
			cmp.Compare(a.Action.Attempt.String(), b.Action.Attempt.String()))
	})
	var lines []string
	for _, t := range o.list {
		lines = append(lines, fmt.Sprintf("%v node %d: %v", t.At, t.Node, t.Action))
	}
	return lines
}

// oneCenter reports whether one node has more of a job's maps than any other.
func (o *liveRun) oneCenter(job int) bool {
	on := make([]int, 10)
	for _, n := range o.places[job].Nodes {
		on[n]++
	}
	slices.Sort(on)
	return on[9] > on[8]
}

// For a small workload, a Core gives the nodes of a live cluster the same actions at the same times
// as those of the simulator. The order of heartbeats at one moment must not matter. So each map
// runs only on the one node with its block, jobs come one after the other, and each job has one
// node with the most maps for its reduces.
func TestLiveAndSimulatedActionsAreTheSame(t *testing.T) {
	const nodes, slots = 6, 2
	job := func(at time.Duration, maps, reduces int, perMap, perReduce time.Duration) workload.Job {
		return workload.Job{
			Submit: at, Maps: maps, Reduces: reduces,
			InputBytes: int64(maps) * validationBlock, ShuffleBytes: int64(maps) * validationOutput,
			Map: workload.Cost{Time: perMap}, Reduce: workload.Cost{Time: perReduce},
		}
	}
	w := &workload.Workload{Name: "small", Jobs: []workload.Job{
		job(0, 19, 1, 7*time.Second, 700*time.Millisecond),
		job(3100*time.Millisecond, 7, 1, 5*time.Second, 300*time.Millisecond),
		job(11300*time.Millisecond, 14, 0, 2*time.Second, 0),
		job(60*time.Second, 1, 1, time.Second, time.Second),
	}}
	var jobs []validationJob
	for i := range w.Jobs {
		w.Jobs[i].Name = fmt.Sprint("job-", i)
		jobs = append(jobs, validationJob{Job: w.Jobs[i]})
	}
	for _, rule := range []scheduling.ReduceRule{scheduling.CoGRS, scheduling.LARTS} {
		p := study.Policy("fifo", "fifo", func(p *scheduling.Policy) {
			p.Spread, p.SlowStart = false, 1
			p.Locality = scheduling.LocalityPolicy{
				Rule: scheduling.TimedWait, Waits: []time.Duration{time.Hour, time.Hour},
			}
			p.Reduce = scheduling.ReducePolicy{
				Rule: rule, Theta: -1, Waits: [2]time.Duration{time.Hour, time.Hour},
			}
		}).Policy
		var live, sim actions
		var ran *liveRun
		synctest.Test(t, func(t *testing.T) {
			var err error
			ran, err = runLive(t.Context(), jobs, actors.Config{
				Nodes: nodes, Racks: 1, MapSlots: slots, ReduceSlots: 1, Replication: 1,
				BlockSize: validationBlock, Policy: p, HeartbeatInterval: 3 * time.Second,
				Seed: 1, Calls: live.take,
			})
			require.NoError(t, err)
			pass(time.Second) // the actor library's throttle of dead letters
		})
		_, err := simulator.Run(t.Context(), simulator.Config{
			Cluster: simulator.Cluster{
				Nodes: nodes, Racks: 1, MapSlots: slots, ReduceSlots: 1,
				Setup: -1, ReadRate: 1e15, MergeRate: -1,
			},
			Network: simulator.Network{ShuffleRate: 1e15},
			Drive:   simulator.EventDrive, Interval: 3 * time.Second, Policy: p, Seed: 1,
			Core:   scheduling.Config{Calls: sim.take},
			Places: func(i int) scheduling.Places { return ran.places[i] },
		}, w)
		require.NoError(t, err)
		for i, j := range jobs {
			require.True(t, j.Reduces == 0 || ran.oneCenter(i), "job %d has its maps on %v", i,
				ran.places[i].Nodes)
		}
		require.Len(t, live.list, 19+1+7+1+14+1+1)
		require.Equal(t, live.sorted(), sim.sorted())
	}
}
