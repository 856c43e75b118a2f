package pastorelli13

import (
	"context"
	"fmt"

	"github.com/tarry-mr/tarry/experiments/internal/report"
	"github.com/tarry-mr/tarry/experiments/internal/setup"
)

// Fig5 is [Pastorelli13 Fig 5]: the mean sojourn time against the number of nodes.
func Fig5(ctx context.Context, o report.Options) (*report.Result, error) {
	nodes := []int{10, 20, 40, 60, 80, 100}
	if o.Quick {
		nodes = []int{20, 100}
	}
	list := hfspTrio()
	fig := report.Figure{
		Name: "fig5", Title: "Mean sojourn against cluster size", X: "nodes", Y: "seconds",
		Series: []report.Series{{Name: "FAIR"}, {Name: "HFSP"}},
	}
	r := &report.Result{Setup: hfspSetup("10 to 100 nodes, the same jobs.")}
	var gaps []float64
	for _, n := range nodes {
		cfg := setup.EC2()
		cfg.Seed, cfg.Cluster.Nodes = o.Seed, n
		all, err := setup.Contests(ctx, cfg, list[1:], o.Repeats(1, 5),
			setup.Capped(o, 60, fbDataset))
		if err != nil {
			return nil, err
		}
		for i := range all {
			fig.Series[i].Add(float64(n), all[i].Over(setup.MeanSojourn).Mean)
		}
		gap := all[0].Over(setup.MeanSojourn).Mean - all[1].Over(setup.MeanSojourn).Mean
		gaps = append(gaps, gap)
		r.Add(report.Claimed(fmt.Sprintf("%d nodes: FAIR − HFSP", n), "s", "HFSP is shorter", gap,
			report.AtLeast(0)))
	}
	r.Add(report.Claimed("gap at the fewest nodes over that at the most", "×",
		"grows as nodes shrink", gaps[0]/gaps[len(gaps)-1], report.AtLeast(1)))
	r.Figures = []report.Figure{fig}
	r.Notes = []string{hfspChosen}
	return r, nil
}
