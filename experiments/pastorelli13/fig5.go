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
	means := map[int][2]report.Sample{}
	for _, n := range nodes {
		cfg := setup.EC2()
		cfg.Seed, cfg.Cluster.Nodes = o.Seed, n
		all, err := setup.Contests(ctx, cfg, list[1:], o.Repeats(1, 10),
			setup.Capped(o, 60, fbDataset))
		if err != nil {
			return nil, err
		}
		at := [2]report.Sample{
			setup.Each(&all[0], setup.MeanSojourn), setup.Each(&all[1], setup.MeanSojourn),
		}
		for i := range at {
			fig.Series[i].AddSample(float64(n), at[i])
		}
		means[n] = at
		row := report.SaidRow(fmt.Sprintf("%d nodes: FAIR − HFSP", n), "s",
			"HFSP is considerably shorter when resources are scarce", report.More(0),
			at[0].Minus(at[1]))
		if n > 40 {
			row.Kind, row.Claim = report.Own, "HFSP is shorter"
		}
		r.Add(row)
	}
	few, most := means[nodes[0]], means[nodes[len(nodes)-1]]
	r.Add(report.SaidRow("gap at the fewest nodes less that at the most", "s",
		"grows as nodes shrink", report.More(0),
		few[0].Minus(few[1]).Minus(most[0].Minus(most[1]))))
	if smaller, ok := means[80]; ok {
		r.Add(report.SaidRow("FAIR on 100 nodes less HFSP on 80", "s",
			"a smaller cluster does with HFSP", report.More(0), most[0].Minus(smaller[1])))
	}
	r.Figures = []report.Figure{fig}
	r.Notes = []string{hfspChosen}
	return r, nil
}
