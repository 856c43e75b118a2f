package pastorelli13

import (
	"context"
	"fmt"
	"math"

	"github.com/tarry-mr/tarry/experiments/internal/report"
	"github.com/tarry-mr/tarry/experiments/internal/setup"
)

// Fig5 is [Pastorelli13 Fig 5]: the mean sojourn time against the number of nodes.
func Fig5(ctx context.Context, o report.Options) (*report.Result, error) {
	nodes := []int{10, 20, 40, 60, 80, 100}
	if o.Quick {
		nodes = []int{20, 100}
	}
	list, err := hfspTrio()
	if err != nil {
		return nil, err
	}
	fig := report.Figure{Name: "fig5", Title: "Mean sojourn against cluster size", X: "nodes", Y: "seconds", Series: []report.Series{{Name: "FAIR"}, {Name: "HFSP"}}}
	r := &report.Result{Setup: hfspSetup("10 to 100 nodes, the same jobs.")}
	var gaps []float64
	for _, n := range nodes {
		cfg := setup.EC2()
		cfg.Seed, cfg.Cluster.Nodes = o.Seed, n
		all, err := setup.Contests(ctx, cfg, list[1:], o.Repeats(1, 5), setup.Capped(o, 60, fbDataset))
		if err != nil {
			return nil, err
		}
		for i := range all {
			fig.Series[i].X, fig.Series[i].Y = append(fig.Series[i].X, float64(n)), append(fig.Series[i].Y, all[i].Over(setup.MeanSojourn).Mean)
		}
		gap := all[0].Over(setup.MeanSojourn).Mean - all[1].Over(setup.MeanSojourn).Mean
		gaps = append(gaps, gap)
		r.Rows = append(r.Rows, report.Row{Quantity: fmt.Sprintf("%d nodes: FAIR − HFSP", n), Unit: "s", Published: math.NaN(), Claim: "HFSP is shorter", Ours: gap, Band: report.AtLeast(0)})
	}
	r.Rows = append(r.Rows, report.Row{Quantity: "gap at the fewest nodes over that at the most", Unit: "×", Published: math.NaN(), Claim: "grows as nodes shrink", Ours: gaps[0] / gaps[len(gaps)-1], Band: report.AtLeast(1)})
	r.Figures = []report.Figure{fig}
	r.Notes = []string{hfspHistory}
	return r, nil
}
