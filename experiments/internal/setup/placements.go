package setup

import (
	"fmt"
	"time"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// Placements are the ways to place reduces, on a fair scheduler that waits 3 s for local maps.
func Placements() []simulator.Contender {
	var list []simulator.Contender
	for _, s := range []struct {
		name string
		rule scheduling.ReduceRule
	}{{"any node", scheduling.AnyNode}, {"CoGRS", scheduling.CoGRS}, {"LARTS", scheduling.LARTS}} {
		p := Preset("fair", func(p *scheduling.Policy) {
			Waits(3*time.Second, 3*time.Second)(p)
			p.Reduce.Rule = s.rule
			p.SlowStart = 1
		})
		list = append(list, simulator.Contender{Name: s.name, Policy: p})
	}
	return list
}

// ShuffleJobs are jobs one after another with so many maps and reduces and a skew over the pairs of
// map and partition.
func ShuffleJobs(jobs, maps, reduces int, sigma float64) workload.Workload {
	w := workload.Workload{Name: "shuffles"}
	for i := range jobs {
		w.Jobs = append(w.Jobs, workload.Job{
			Name: fmt.Sprintf("job%02d", i), User: "u", Class: "all", Maps: maps, Reduces: reduces,
			InputBytes:   int64(maps) * workload.DefaultBlock,
			ShuffleBytes: int64(maps) * workload.DefaultBlock, Skew: workload.Skew{Cells: sigma},
			Map: workload.Cost{CPU: -1, Time: 2 * time.Second, Spread: 0.3},
		})
	}
	return w
}
