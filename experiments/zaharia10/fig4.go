package zaharia10

import (
	"time"

	"github.com/tarry-mr/tarry/experiments/internal/setup"
	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// fig4 reproduces [Zaharia10 Fig 4]: the slots of the pools of the example, first while pool 3 is
// idle, then while it has a job, too.
func fig4(s *study.Study) {
	const slots, wakes = 100, 300 * time.Second
	p := study.Policy("hfs", "hfs", setup.Packed, func(p *scheduling.Policy) {
		p.Pools = scheduling.Allocations{Pools: []scheduling.PoolConfig{
			{Name: "pool1", Min: [2]int{60, 0}},
			{Name: "pool2", Mode: scheduling.FIFOMode},
			{Name: "pool3", Min: [2]int{10, 0}},
		}}
	})
	var list []workload.Job
	for _, pool := range []string{"pool1", "pool1", "pool2", "pool2", "pool3"} {
		list = append(list, workload.Job{Pool: pool, User: "u", Map: workload.Cost{Time: 10 * time.Second, Spread: 0.3}})
	}
	list[4].Submit = wakes
	runs := s.Simulate(simulator.Config{
		Cluster: simulator.Cluster{Nodes: slots / 4}, Sample: time.Second, Until: 2 * wakes,
	}, p, s.Repeats(1, 10), study.Always(setup.Tenants(list...)))
	setup.NewTimeline(runs.Results[0]).Draw(s.Plot("fig4"))
	for part, when := range []string{"pool 3 idle: ", "pool 3 awake: "} {
		from := time.Duration(part)*wakes + 100*time.Second
		for i, name := range []string{"job 1", "job 2", "job 3", "job 4", "pool 3"}[:4+part] {
			s.Row(when+name, setup.Held(runs, from, time.Duration(part+1)*wakes, i))
		}
	}
}
