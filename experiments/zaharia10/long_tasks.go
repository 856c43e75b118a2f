package zaharia10

import (
	"fmt"
	"time"

	"github.com/tarry-mr/tarry/experiments/internal/setup"
	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// longTasks measures [Zaharia10 §3.5.1]: the locality of small jobs if long tasks fill whole nodes.
func longTasks(s *study.Study) {
	fig := s.Plot("long")
	var kept study.Sample
	for _, phi := range study.Pick(s, []float64{0.5}, []float64{0.2, 0.5}) {
		all := longRuns(s, phi)
		plain := all[0].Local("small", scheduling.NodeLocal)
		kept = all[1].Local("small", scheduling.NodeLocal)
		fig.AddSample("long tasks anywhere", phi, plain)
		fig.AddSample("one slot a node kept from them", phi, kept)
		what := fmt.Sprintf("φ = %g: ", phi)
		s.Row(what+"small jobs' node-local maps, long tasks anywhere", plain)
		s.Row(what+"node-local maps of small jobs that balancing adds", kept.Minus(plain))
		if phi < 0.5 {
			s.Row(what+"small jobs' node-local maps less those of no long tasks",
				plain.Minus(all[2].Local("small", scheduling.NodeLocal)))
		}
	}
	s.Row("φ = 0.5, balanced: small jobs' node-local maps", kept)
}

// longRuns runs small jobs and an endless job of long tasks on a fraction phi of the slots: long
// tasks anywhere, then at most one on a node, and, last, nearly without long tasks.
func longRuns(s *study.Study, phi float64) study.Comparison {
	const slots = 200
	policy := func(name string, reserve, most int) simulator.Contender {
		return study.Policy(name, "hfs", setup.Waits(5*time.Second, 0), setup.Packed,
			func(p *scheduling.Policy) {
				p.ReserveLong, p.LongTask = reserve, time.Minute
				p.Pools.Pools = []scheduling.PoolConfig{{Name: "long", Max: [2]int{most, 0}}}
			})
	}
	w := setup.Tenants(workload.Job{
		Pool: "long", User: "long", TellTimes: true, Map: workload.Cost{Time: 600 * time.Second, Spread: 0.4},
	})
	for i := range study.Pick(s, 30, 100) {
		w.Jobs = append(w.Jobs, workload.Job{
			Name: fmt.Sprintf("small %d", i), User: fmt.Sprintf("user %d", i), Class: "small",
			Maps: 10, Submit: time.Duration(60+20*i) * time.Second, TellTimes: true,
			InputBytes: 10 * workload.DefaultBlock,
			Map:        workload.Cost{CPU: -1, Time: 8 * time.Second, Spread: 0.4},
		})
	}
	return s.Compare(simulator.Config{
		Cluster: simulator.Cluster{Nodes: slots / 2, MapSlots: 2, Setup: -1, ReadRate: 1e12},
		Until:   w.Jobs[len(w.Jobs)-1].Submit,
	}, study.Contenders{
		policy("anywhere", 0, int(phi*slots)), policy("balanced", 1, int(phi*slots)),
		policy("none", 0, 1),
	}, s.Repeats(2, 10), study.Always(w))
}
