package simulator

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// refJob is a job of the reference simulator. In arrays, 0 is for maps and 1 for reduces.
type refJob struct {
	at             time.Duration
	times          [2]time.Duration
	gate           int // number of maps that must be done before reduces start
	wait, run, all [2]int
	done           [2]int
	end            time.Duration
}

// refEvent is the arrival of a job (kind -1) or the end of one of its tasks of that kind.
type refEvent struct {
	at   time.Duration
	job  *refJob
	kind int
}

// reference is a second simulator of FIFO and naive fair sharing, without a Core. Its slots belong
// to no nodes. All tasks of a job have one length, and its reduces end a fixed time after its last
// map. At each event, the loop gives each free slot to the first job in the order, until none takes
// one.
func reference(jobs []*refJob, free [2]int, fair bool) {
	var events []refEvent
	push := func(e refEvent) { // sorts e after all events of the same time
		i, _ := slices.BinarySearchFunc(events, e.at+1, func(o refEvent, at time.Duration) int { return int(o.at - at) })
		events = slices.Insert(events, i, e)
	}
	for _, j := range jobs {
		push(refEvent{j.at, j, -1})
	}
	var here []*refJob
	for len(events) > 0 {
		e := events[0]
		events = events[1:]
		j := e.job
		if e.kind < 0 {
			here = append(here, j)
		} else {
			free[e.kind]++
			j.run[e.kind]--
			j.done[e.kind]++
			if e.kind == 0 && j.done[0] == j.all[0] {
				for range j.run[1] {
					push(refEvent{e.at + j.times[1], j, 1})
				}
			}
			j.end = e.at
		}
		for k := range free {
			for free[k] > 0 {
				var next *refJob
				for _, c := range here {
					open := c.wait[k] > 0 && (k == 0 || c.done[0] >= c.gate)
					if open && (next == nil || fair && c.run[k] < next.run[k]) {
						next = c
					}
				}
				if next == nil {
					break
				}
				free[k]--
				next.wait[k]--
				next.run[k]++
				if k == 0 || next.done[0] == next.all[0] {
					push(refEvent{e.at + next.times[k], next, k})
				}
			}
		}
	}
}

// The simulator gives the same times as reference, per job and to the nanosecond, for FIFO and
// naive fair sharing. All nodes hold all data, because FIFO launches only one map off its data per
// heartbeat. It also launches one reduce per heartbeat.
func TestReferenceSimulator(t *testing.T) {
	for seed := range uint64(40) {
		for _, policy := range []string{"fifo", "fair"} {
			r := rand.New(rand.NewPCG(seed, 7))
			cl := Cluster{Nodes: 1 + r.IntN(6), Racks: 1, MapSlots: 1 + r.IntN(3), ReduceSlots: 1, Setup: -1}
			cl.Racks = 1 + r.IntN(cl.Nodes)
			w := workload.Workload{Name: "reference"}
			var jobs []*refJob
			at := 0.0
			for i := range 40 {
				at += r.ExpFloat64() * 8
				j := &refJob{at: seconds(at), times: [2]time.Duration{seconds(1 + 9*r.Float64()), seconds(1 + 20*r.Float64())}}
				j.all = [2]int{1 + r.IntN(12), r.IntN(4)}
				j.wait, j.gate = j.all, (j.all[0]+1)/2
				jobs = append(jobs, j)
				w.Jobs = append(w.Jobs, workload.Job{
					Name: fmt.Sprint(i), User: "u", Maps: j.all[0], Reduces: j.all[1], Submit: j.at, SlowStart: 0.5,
					Map: workload.Cost{Setup: -1, Time: j.times[0]}, Reduce: workload.Cost{Setup: -1, Time: j.times[1]},
				})
			}
			p := preset(t, policy)
			p.Spread = false
			res := run(t, Config{Cluster: cl, Policy: p, Seed: seed, Interval: time.Hour, Places: func(i int) scheduling.Places {
				return everywhere(w.Jobs[i].Maps, cl.Nodes)
			}}, &w)
			reference(jobs, [2]int{cl.Nodes * cl.MapSlots, cl.Nodes * cl.ReduceSlots}, policy == "fair")
			for i, j := range jobs {
				require.Equal(t, j.end, res.Jobs[i].Ended, "seed %d, %s, job %d", seed, policy, i)
			}
		}
	}
}

// everywhere returns places with the blocks of all maps on all nodes.
func everywhere(maps, nodes int) scheduling.Places {
	p := scheduling.Places{Offsets: []int32{0}}
	for range maps {
		for n := range nodes {
			p.Nodes = append(p.Nodes, scheduling.NodeID(n))
		}
		p.Offsets = append(p.Offsets, int32(len(p.Nodes)))
	}
	return p
}
