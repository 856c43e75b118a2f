package zaharia10

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/tarry-mr/tarry/experiments/internal/setup"
	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator"
)

// overheadSize is the size of the load of [Zaharia10 §5.4].
type overheadSize struct{ nodes, racks, jobs, tasks, pools int }

// overhead measures, as [Zaharia10 §5.4] does, how many tasks a second the scheduler launches.
func overhead(s *study.Study) {
	size := study.Pick(s, overheadSize{500, 13, 20, 200, 20}, overheadSize{2500, 63, 100, 1000, 20})
	s.Fill("nodes", size.nodes, "racks", size.racks, "jobs", size.jobs, "tasks", size.tasks,
		"pools", size.pools)
	s.Measured = true
	for _, name := range []string{"hfs", "fifo", "fair"} {
		var beats []time.Duration
		rate := study.Samples(s.Repeats(2, 10), func(int) []float64 {
			launches, took := size.drain(s, study.Policy(name, name))
			beats = append(beats, took...)
			var sum time.Duration
			for _, b := range took {
				sum += b
			}
			return []float64{float64(launches) / sum.Seconds()}
		})[0]
		slices.Sort(beats)
		quantile := func(q float64) study.Sample {
			at := beats[min(int(q*float64(len(beats))), len(beats)-1)]
			return study.Sure(float64(at) / float64(time.Microsecond))
		}
		s.Row(name+": tasks scheduled", rate)
		s.Row(name+": a heartbeat, median", quantile(0.5))
		s.Row(name+": a heartbeat, 99 %", quantile(0.99))
	}
}

// drain runs all tasks on a Core under p, to which the nodes of o have joined. It returns the
// launches and how long the Core took per heartbeat.
func (o overheadSize) drain(
	s *study.Study, p simulator.Contender,
) (launches int, beats []time.Duration) {
	core, err := scheduling.NewCore(scheduling.Config{HeartbeatInterval: 25 * time.Second}, p.Policy)
	s.Check(err)
	for i := range o.nodes {
		_, err := core.Join(0, scheduling.Node{
			Name: fmt.Sprintf("n%04d", i), Rack: fmt.Sprintf("r%02d", i*o.racks/o.nodes),
			MapSlots: 2, ReduceSlots: 2,
		})
		s.Check(err)
	}
	rng := rand.New(rand.NewPCG(1, 54))
	for i := range o.jobs {
		pool := fmt.Sprintf("p%02d", i%o.pools)
		_, err := core.Submit(0, scheduling.JobSpec{
			Name: fmt.Sprintf("j%03d", i), User: pool, Pool: pool, Maps: o.tasks, Reduces: o.tasks,
			Places: setup.Places(o.tasks, func(int) []int {
				return []int{rng.IntN(o.nodes), rng.IntN(o.nodes), rng.IntN(o.nodes)}
			}),
		})
		s.Check(err)
	}
	running := make([][]scheduling.Status, o.nodes)
	beats = make([]time.Duration, 0, 2*o.jobs*o.tasks)
	now, step := time.Duration(0), 20*time.Second/time.Duration(o.nodes)
	for len(core.View().Active()) > 0 {
		s.Check(s.Context().Err())
		for n := range o.nodes {
			now += step
			began := time.Now()
			got, err := core.Heartbeat(now,
				scheduling.Heartbeat{Node: scheduling.NodeID(n), Statuses: running[n]})
			beats = append(beats, time.Since(began))
			s.Check(err)
			running[n] = running[n][:0]
			for _, order := range got.Actions {
				if order.Verb == scheduling.Launch {
					running[n] = append(running[n],
						scheduling.Status{Attempt: order.Attempt, State: scheduling.StateSucceeded})
					launches++
				}
			}
		}
	}
	return launches, beats
}
