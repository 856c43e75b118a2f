package experiments

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// orders compares the orders on one workload.
func orders(ctx context.Context, o Options) (*Result, error) {
	var list []simulator.Contender
	for _, name := range []string{"fifo", "fair", "capacity", "hfs", "hfsp", "srpt"} {
		p, err := preset(name, nil)
		if err != nil {
			return nil, err
		}
		list = append(list, simulator.Contender{Name: name, Policy: p})
	}
	cfg := plainMacro().cluster()
	cfg.Seed = o.Seed
	all, err := contests(ctx, cfg, list, o.repeats(1, 10), capped(o, 0, func(r *rand.Rand) workload.Workload { return workload.FacebookCPU(r, macroRead) }))
	if err != nil {
		return nil, err
	}
	r := &Result{Setup: []string{ec2Setup()[0], ec2Setup()[1], contendedSetup, "Workload: the CPU-heavy jobs of [Zaharia10 §5.1.2], which load the cluster; reading a block takes 7 s.", "Every preset with its own defaults; capacity has one queue."}}
	bars := Figure{Name: "orders", Title: "Mean sojourn by order", X: "order", Y: "seconds", Series: []Series{{Name: "mean"}, {Name: "median"}}}
	for i := range all {
		c := &all[i]
		median := c.Over(func(r *simulator.Result) float64 { return r.Report.Sojourn.Median }).Mean
		bars.Categories = append(bars.Categories, c.Name)
		bars.Series[0].Y, bars.Series[1].Y = append(bars.Series[0].Y, c.Over(meanSojourn).Mean), append(bars.Series[1].Y, median)
		fair := c.Over(func(r *simulator.Result) float64 { return r.Report.FairnessJain }).Mean
		r.Rows = append(r.Rows,
			Row{Quantity: c.Name + ": mean sojourn", Unit: "s", Published: math.NaN(), Ours: c.Over(meanSojourn).Mean, Band: Context()},
			Row{Quantity: c.Name + ": Jain's index of the jobs' speeds", Published: math.NaN(), Ours: fair, Band: Context()},
			Row{Quantity: c.Name + ": node-local", Unit: "%", Published: math.NaN(), Ours: c.Over(nodeLocal).Mean, Band: Context()})
	}
	r.Rows = append(r.Rows, Row{Quantity: "mean sojourn FIFO over fair", Unit: "×", Published: math.NaN(), Claim: "fair is shorter on mixed sizes", Ours: bars.Series[0].Y[0] / bars.Series[0].Y[1], Band: AtLeast(1)})
	r.Figures = []Figure{bars}
	return r, nil
}
