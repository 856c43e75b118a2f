package own

import (
	"context"
	"math/rand/v2"

	"github.com/tarry-mr/tarry/experiments/internal/setup"
	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// Orders compares the orders on one workload.
func Orders(ctx context.Context, o study.Options) (*study.Result, error) {
	var list []simulator.Contender
	for _, name := range []string{"fifo", "fair", "capacity", "hfs", "hfsp", "srpt"} {
		p := setup.Preset(name, nil)
		list = append(list, simulator.Contender{Name: name, Policy: p})
	}
	cfg := setup.MacroCluster(setup.MacroBlock, setup.Contended(setup.RemoteLink))
	cfg.Seed = o.Seed
	all, err := setup.Contests(ctx, cfg, list, o.Repeats(1, 10),
		setup.OldCapped(o, 0,
			func(r *rand.Rand) workload.Workload {
				return workload.FacebookCPU(r, setup.MacroMap)
			}))
	if err != nil {
		return nil, err
	}
	r := &study.Result{
		Setup: []string{
			setup.EC2Setup()[0], setup.EC2Setup()[1], setup.ContendedSetup,
			"Workload: the CPU-heavy jobs of [Zaharia10 §5.1.2], which load the cluster; reading " +
				"a block takes 7 s.", "Every preset with its own defaults; capacity has one queue.",
		},
	}
	bars := study.Figure{
		Name: "orders", Title: "Mean sojourn by order", X: "order", Y: "seconds",
		Series: []*study.Series{{Name: "mean"}, {Name: "median"}},
	}
	for i := range all {
		c := &all[i]
		mean := setup.Each(c, setup.MeanSojourn)
		median := c.Over(func(r *simulator.Result) float64 { return r.Report.Sojourn.Median }).Mean
		bars.Categories = append(bars.Categories, c.Name)
		bars.Series[0].AddBar(mean)
		bars.Series[1].Y = append(bars.Series[1].Y, median)
		fair := func(r *simulator.Result) float64 { return r.Report.FairnessJain }
		r.Add(study.Shown(c.Name+": mean sojourn", "s", mean),
			study.Shown(c.Name+": Jain's index of the jobs' speeds", "", setup.Each(c, fair)),
			study.Shown(c.Name+": node-local", "%", setup.Each(c, setup.NodeLocal)))
	}
	r.Add(study.OwnRow("mean sojourn FIFO over fair", "×", "fair is shorter on mixed sizes",
		study.More(1),
		setup.Each(&all[0], setup.MeanSojourn).Over(setup.Each(&all[1], setup.MeanSojourn))))
	r.Figures = []study.Figure{bars}
	return r, nil
}
