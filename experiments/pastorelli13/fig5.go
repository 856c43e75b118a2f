package pastorelli13

import (
	"fmt"

	"github.com/tarry-mr/tarry/experiments/internal/setup"
	"github.com/tarry-mr/tarry/experiments/study"
)

// fig5 reproduces [Pastorelli13 Fig 5]: the mean sojourn time by the number of nodes.
func fig5(s *study.Study) {
	nodes := study.Pick(s, []int{20, 100}, []int{10, 20, 40, 60, 80, 100})
	fig := s.Plot("fig5")
	means := map[int][]study.Sample{}
	for _, n := range nodes {
		cfg := cluster()
		cfg.Cluster.Nodes = n
		all := s.Compare(cfg, trio()[fair:], s.Repeats(1, 10),
			setup.Capped(s, 60, fbTasks(computeMap, computeReduce)))
		for i, r := range all {
			means[n] = append(means[n], r.By(study.MeanSojourn))
			fig.AddSample(r.Name, float64(n), means[n][i])
		}
		s.Row(fmt.Sprintf("%d nodes: FAIR − HFSP", n), means[n][0].Minus(means[n][1]))
	}
	few, most := means[nodes[0]], means[nodes[len(nodes)-1]]
	s.Row("gap at the fewest nodes less that at the most",
		few[0].Minus(few[1]).Minus(most[0].Minus(most[1])))
	if smaller, ok := means[80]; ok {
		s.Row("FAIR on 100 nodes less HFSP on 80", most[0].Minus(smaller[1]))
	}
}
