package engine

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tarry-mr/tarry/internal/cputime"
	"github.com/tarry-mr/tarry/scheduling/event"
	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// setup is a cluster and a load for the benchmarks. paperSetup is that of [Zaharia10 §5.4]: 2,500
// nodes with 2 map and 2 reduce slots, and 100 jobs in 20 pools. Each job has 1,000 maps and 1,000
// reduces. The paper reports 3,200 tasks per second.
type setup struct {
	nodes, racks  int
	slots         [2]int
	jobs, pools   int
	maps, reduces int
	explain       bool      // with explanations, as a server has
	sizes         bool      // maps report the sizes of their outputs, all equal
	bytes         [][]int64 // maps report these sizes in turn
}

func paperSetup() setup {
	return setup{nodes: 2500, racks: 63, slots: [2]int{2, 2}, jobs: 100, pools: 20, maps: 1000, reduces: 1000}
}

// load returns a Core with the nodes and jobs; each map has three replicas on random nodes.
func (s setup) load(tb testing.TB, p model.Policy) *core.Core {
	cfg := core.Config{HeartbeatInterval: 25 * time.Second, Explain: s.explain}
	if s.explain {
		cfg.Events = func(event.Event) {}
	}
	c, err := NewCore(cfg, p)
	if err != nil {
		tb.Fatal(err)
	}
	for i := range s.nodes {
		if _, err := c.Join(0, model.Node{Name: fmt.Sprint("n", i), Rack: fmt.Sprint("r", i*s.racks/s.nodes), MapSlots: s.slots[0], ReduceSlots: s.slots[1]}); err != nil {
			tb.Fatal(err)
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range s.jobs {
		places := model.Places{Offsets: []int32{0}}
		for range s.maps {
			for range 3 {
				places.Nodes = append(places.Nodes, model.NodeID(rng.IntN(s.nodes)))
			}
			places.Offsets = append(places.Offsets, int32(len(places.Nodes)))
		}
		name := fmt.Sprint("p", i%s.pools)
		_, err := c.Submit(0, model.JobSpec{
			Name: fmt.Sprint("j", i), User: name, Pool: name, Queue: queueFor(&p, i), Maps: s.maps, Reduces: s.reduces,
			Places: places, MapTime: 20 * time.Second, ReduceTime: 60 * time.Second,
		})
		if err != nil {
			tb.Fatal(err)
		}
	}
	return c
}

// queueFor returns the queue of job i: the policy's queues in turn, or none.
func queueFor(p *model.Policy, i int) string {
	if len(p.Queues) == 0 {
		return ""
	}
	return p.Queues[i%len(p.Queues)].Name
}

// drain runs all jobs by rounds of heartbeats. Every attempt launched in one round ends in the
// next. It returns the number of launches.
func (s setup) drain(tb testing.TB, c *core.Core, step time.Duration) (launches int) {
	running := make([][]model.Status, s.nodes)
	sizes := make([]int64, s.reduces)
	for i := range sizes {
		sizes[i] = int64(1000 + i%7)
	}
	now := time.Duration(0)
	for len(c.Active) > 0 {
		for n := range s.nodes {
			now += step / time.Duration(s.nodes)
			got, err := c.Heartbeat(now, model.Heartbeat{Node: model.NodeID(n), Statuses: running[n]})
			if err != nil {
				tb.Fatal(err)
			}
			running[n] = running[n][:0]
			for _, o := range got.Actions {
				if o.Verb != model.Launch && o.Verb != model.Resume {
					continue
				}
				st := model.Status{Attempt: o.Attempt, State: model.StateSucceeded}
				if s.sizes && o.Attempt.Task.Kind == model.Map {
					st.OutputBytes = sizes
				}
				if len(s.bytes) > 0 && o.Attempt.Task.Kind == model.Map {
					st.OutputBytes = s.bytes[int(o.Attempt.Task.Index+int32(o.Attempt.Task.Job)*7)%len(s.bytes)]
				}
				running[n] = append(running[n], st)
				launches++
			}
		}
	}
	return launches
}

// run runs one benchmark, and measures everything after the submissions.
func (s setup) run(b *testing.B, p model.Policy) {
	b.ReportAllocs()
	launches := 0
	var spent, cpu time.Duration
	for b.Loop() {
		b.StopTimer()
		c := s.load(b, p)
		b.StartTimer()
		start, used := time.Now(), cputime.Used()
		launches += s.drain(b, c, 20*time.Second)
		spent += time.Since(start)
		cpu += cputime.Used() - used
	}
	b.ReportMetric(float64(launches)/spent.Seconds(), "tasks/s")
	if cpu > 0 {
		b.ReportMetric(float64(launches)/cpu.Seconds(), "tasks/cpu-s")
	}
}

func cogrsOn(p *model.Policy) { p.Reduce.Rule = model.CoGRS }

func twentyQueues(p *model.Policy) {
	for i := range 20 {
		p.Queues = append(p.Queues, model.QueueConfig{Name: fmt.Sprint("q", i), Capacity: 5})
	}
}

// BenchmarkAssign measures how many tasks each scheduler launches per second, with heartbeats and
// reports, in the set-up of [Zaharia10 §5.4]. One scheduler also runs in a larger set-up.
func BenchmarkAssign(b *testing.B) {
	s := paperSetup()
	withSizes := s
	withSizes.sizes = true
	for _, c := range []struct {
		name string
		s    setup
		p    model.Policy
	}{
		{"fifo", s, policyOf(b, "fifo", nil)},
		{"fair", s, policyOf(b, "fair", nil)},
		{"delay", s, policyOf(b, "delay", func(p *model.Policy) { p.Locality.Skips = []int{100} })},
		{"hfs", s, policyOf(b, "hfs", nil)},
		{"hfs+cogrs", withSizes, policyOf(b, "hfs", cogrsOn)},
		{"capacity", s, policyOf(b, "capacity", twentyQueues)},
		{"hfsp", s, policyOf(b, "hfsp", nil)},
	} {
		b.Run(c.name, func(b *testing.B) { c.s.run(b, c.p) })
	}
	large := setup{nodes: 10000, racks: 250, slots: [2]int{8, 8}, jobs: 1000, pools: 100, maps: 500, reduces: 100, sizes: true}
	b.Run("large/hfs+cogrs", func(b *testing.B) { large.run(b, policyOf(b, "hfs", cogrsOn)) })
}

// BenchmarkScale shows how the cost of a launch grows with the number of nodes, for 100 jobs, and
// of jobs, on 1,000 nodes. It also shows what explanations cost.
func BenchmarkScale(b *testing.B) {
	cogrs := policyOf(b, "hfs", cogrsOn)
	cogrs.Name = "hfs+cogrs"
	presets := []model.Policy{policyOf(b, "fifo", nil), policyOf(b, "hfs", nil), cogrs, policyOf(b, "capacity", twentyQueues), policyOf(b, "hfsp", nil)}
	for _, p := range presets {
		run := func(what string, nodes, jobs, tasks int) {
			s := setup{nodes: nodes, racks: nodes / 40, slots: [2]int{2, 2}, jobs: jobs, pools: 20, maps: tasks, reduces: tasks, sizes: p.Reduce.Rule == model.CoGRS}
			b.Run(p.Name+"/"+what, func(b *testing.B) { s.run(b, p) })
			if what == "jobs=100" || what == "jobs=1000" {
				s.explain = true
				b.Run(p.Name+"/"+what+"/explained", func(b *testing.B) { s.run(b, p) })
			}
		}
		for _, nodes := range []int{100, 1000, 10000} {
			run(fmt.Sprintf("nodes=%d", nodes), nodes, 100, nodes/2)
		}
		for _, jobs := range []int{10, 100, 1000, 4000} {
			run(fmt.Sprintf("jobs=%d", jobs), 1000, jobs, 40000/jobs)
		}
	}
}

// skewedSizes draws the output bytes of a map for each reduce from a lognormal distribution. It
// returns 64 such lists, which the maps use in turn.
func skewedSizes(reduces int, sigma float64) [][]int64 {
	rng := rand.New(rand.NewPCG(3, 4))
	tables := make([][]int64, 64)
	for m := range tables {
		tables[m] = make([]int64, reduces)
		for r := range tables[m] {
			tables[m][r] = int64(1000 * math.Exp(sigma*rng.NormFloat64()))
		}
	}
	return tables
}

// BenchmarkSkewedReduces runs hfs with CoGRS in the set-up of [Zaharia10 §5.4]. Partitions differ
// in size, so that each reduce has a center of its own.
func BenchmarkSkewedReduces(b *testing.B) {
	for _, sigma := range []float64{1, 3} {
		b.Run(fmt.Sprintf("sigma=%v", sigma), func(b *testing.B) {
			s := paperSetup()
			s.bytes = skewedSizes(s.reduces, sigma)
			s.run(b, policyOf(b, "hfs", cogrsOn))
		})
	}
	b.Run("few", func(b *testing.B) { // all reduces have the same few centers
		s := setup{nodes: 1000, racks: 25, slots: [2]int{2, 2}, jobs: 40, pools: 20, maps: 20, reduces: 400, bytes: skewedSizes(400, 2)}
		s.run(b, policyOf(b, "hfs", cogrsOn))
	})
}
