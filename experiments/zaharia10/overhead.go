package zaharia10

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/tarry-mr/tarry/experiments/internal/setup"
	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/scheduling"
)

// overheadSize is the load of [Zaharia10 §5.4].
type overheadSize struct{ nodes, racks, jobs, tasks, pools int }

// Overhead is [Zaharia10 §5.4]: how many tasks a second the scheduler hands out, by the clock.
func Overhead(ctx context.Context, o study.Options) (*study.Result, error) {
	size := overheadSize{nodes: 2500, racks: 63, jobs: 100, tasks: 1000, pools: 20}
	if o.Quick {
		size = overheadSize{nodes: 500, racks: 13, jobs: 20, tasks: 200, pools: 20}
	}
	r := &study.Result{Measured: true, Setup: []string{
		fmt.Sprintf("%d nodes with 2 map and 2 reduce slots in %d racks, %d jobs of %d maps and "+
			"%d reduces in %d pools; 3 replicas of each block on random nodes. The paper says "+
			"nothing of racks and blocks.", size.nodes, size.racks, size.jobs, size.tasks,
			size.tasks, size.pools),
		"The Core alone, in one goroutine: heartbeats of all nodes in turn, 20 s of simulated " +
			"time a round; what a heartbeat launched has ended by the node's next one, which " +
			"reports it. Policy hfs with its waits of 5 and 10 s; a heartbeat may fill all free " +
			"slots.",
		"Timed: the heartbeats, by the wall clock. Not timed: nodes that join, jobs handed in. What is a seed " +
			"elsewhere is one of several runs here.",
	}}
	for _, name := range []string{"hfs", "fifo", "fair"} {
		p := setup.Preset(name, nil)
		var rates []float64
		var beats []time.Duration
		for range o.Repeats(2, 10) {
			got, err := size.drain(ctx, p)
			if err != nil {
				return nil, err
			}
			rates, beats = append(rates, got.rate()), append(beats, got.beats...)
		}
		slices.Sort(beats)
		row := study.Shown(name+": tasks scheduled", "/s", study.BySeed(rates))
		if name == "hfs" {
			row = study.OwnRow(row.Quantity, "/s", "more than the 3,200 of a 2.66 GHz Core 2 Duo",
				study.More(3200), row.Ours)
		}
		r.Add(row,
			study.Shown(name+": a heartbeat, median", "µs",
				study.Sure(quantileTime(beats, 0.5))),
			study.Shown(name+": a heartbeat, 99 %", "µs",
				study.Sure(quantileTime(beats, 0.99))))
	}
	r.Notes = []string{
		"The machine that ran this stands for nothing but itself; compare with the need, which " +
			"the paper puts at 1,000 tasks a second for tasks of 10 s.",
	}
	return r, nil
}

// drained is what it took to hand out all tasks.
type drained struct {
	launches int
	beats    []time.Duration
}

// rate is launches a second of heartbeats.
func (d *drained) rate() float64 {
	var sum time.Duration
	for _, b := range d.beats {
		sum += b
	}
	return float64(d.launches) / sum.Seconds()
}

// quantileTime is the q-th quantile of ascending times, in microseconds.
func quantileTime(x []time.Duration, q float64) float64 {
	return float64(x[min(int(q*float64(len(x))), len(x)-1)]) / float64(time.Microsecond)
}

// drain lets a Core hand out all tasks.
func (s overheadSize) drain(ctx context.Context, p scheduling.Policy) (*drained, error) {
	core, err := s.load(p)
	if err != nil {
		return nil, err
	}
	running := make([][]scheduling.Status, s.nodes)
	d := &drained{beats: make([]time.Duration, 0, 2*s.jobs*s.tasks)}
	now, step := time.Duration(0), 20*time.Second/time.Duration(s.nodes)
	for len(core.View().Active()) > 0 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for n := range s.nodes {
			now += step
			began := time.Now()
			got, err := core.Heartbeat(now,
				scheduling.Heartbeat{Node: scheduling.NodeID(n), Statuses: running[n]})
			d.beats = append(d.beats, time.Since(began))
			if err != nil {
				return nil, err
			}
			running[n] = running[n][:0]
			for _, order := range got.Actions {
				if order.Verb == scheduling.Launch {
					running[n] = append(running[n],
						scheduling.Status{Attempt: order.Attempt, State: scheduling.StateSucceeded})
					d.launches++
				}
			}
		}
	}
	return d, nil
}

// load makes a Core with the nodes and the jobs.
func (s overheadSize) load(p scheduling.Policy) (*scheduling.Core, error) {
	core, err := scheduling.NewCore(scheduling.Config{HeartbeatInterval: 25 * time.Second}, p)
	if err != nil {
		return nil, err
	}
	for i := range s.nodes {
		if _, err := core.Join(0,
			scheduling.Node{
				Name: fmt.Sprintf("n%04d", i), Rack: fmt.Sprintf("r%02d", i*s.racks/s.nodes),
				MapSlots: 2, ReduceSlots: 2,
			}); err != nil {
			return nil, err
		}
	}
	rng := rand.New(rand.NewPCG(1, 54))
	for i := range s.jobs {
		places := scheduling.Places{Offsets: []int32{0}}
		for range s.tasks {
			for range 3 {
				places.Nodes = append(places.Nodes, scheduling.NodeID(rng.IntN(s.nodes)))
			}
			places.Offsets = append(places.Offsets, int32(len(places.Nodes)))
		}
		pool := fmt.Sprintf("p%02d", i%s.pools)
		if _, err := core.Submit(0,
			scheduling.JobSpec{
				Name: fmt.Sprintf("j%03d", i), User: pool, Pool: pool, Maps: s.tasks,
				Reduces: s.tasks, Places: places,
			}); err != nil {
			return nil, err
		}
	}
	return core, nil
}
