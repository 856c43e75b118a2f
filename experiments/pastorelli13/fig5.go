package pastorelli13

import (
	"context"
	"fmt"

	"github.com/tarry-mr/tarry/experiments/internal/setup"
	"github.com/tarry-mr/tarry/experiments/study"
)

// Fig5 is [Pastorelli13 Fig 5]: the mean sojourn time against the number of nodes.
func Fig5(ctx context.Context, o study.Options) (*study.Result, error) {
	nodes := []int{10, 20, 40, 60, 80, 100}
	if o.Quick {
		nodes = []int{20, 100}
	}
	list := hfspTrio()
	fig := study.Figure{
		Name: "fig5", Title: "Mean sojourn against cluster size", X: "nodes", Y: "seconds",
		Series: []*study.Series{{Name: "FAIR"}, {Name: "HFSP"}},
	}
	r := &study.Result{Setup: hfspSetup("10 to 100 nodes, the same jobs.")}
	means := map[int][2]study.Sample{}
	for _, n := range nodes {
		cfg := setup.EC2()
		cfg.Seed, cfg.Cluster.Nodes = o.Seed, n
		all, err := setup.Contests(ctx, cfg, list[1:], o.Repeats(1, 10),
			setup.Capped(o, 60, fbDataset))
		if err != nil {
			return nil, err
		}
		at := [2]study.Sample{
			setup.Each(&all[0], setup.MeanSojourn), setup.Each(&all[1], setup.MeanSojourn),
		}
		for i := range at {
			fig.Series[i].AddSample(float64(n), at[i])
		}
		means[n] = at
		row := study.SaidRow(fmt.Sprintf("%d nodes: FAIR − HFSP", n), "s",
			"HFSP is considerably shorter when resources are scarce", study.More(0),
			at[0].Minus(at[1]))
		if n > 40 {
			row.Kind, row.Claim = study.Own, "HFSP is shorter"
		}
		r.Add(row)
	}
	few, most := means[nodes[0]], means[nodes[len(nodes)-1]]
	r.Add(study.SaidRow("gap at the fewest nodes less that at the most", "s",
		"grows as nodes shrink", study.More(0),
		few[0].Minus(few[1]).Minus(most[0].Minus(most[1]))))
	if smaller, ok := means[80]; ok {
		r.Add(study.SaidRow("FAIR on 100 nodes less HFSP on 80", "s",
			"a smaller cluster does with HFSP", study.More(0), most[0].Minus(smaller[1])))
	}
	r.Figures = []study.Figure{fig}
	r.Notes = []string{hfspChosen}
	return r, nil
}
