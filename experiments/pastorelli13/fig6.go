package pastorelli13

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/tarry-mr/tarry/experiments/internal/setup"
	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// Fig6 is [Pastorelli13 Fig 6]: wrong sizes.
func Fig6(ctx context.Context, o study.Options) (*study.Result, error) {
	list := hfspTrio()
	list[2].Policy.HFSP.NoTraining = true
	load := setup.Capped(o, 0,
		func(r *rand.Rand) workload.Workload { return workload.MapOnly(fbDataset(r)) })
	repeat := o.Repeats(1, 10)
	cfg := setup.EC2()
	cfg.Seed = o.Seed
	base, err := setup.Contests(ctx, cfg, list[1:], repeat, load)
	if err != nil {
		return nil, err
	}
	fair, exact := setup.Each(&base[0], setup.MeanSojourn), setup.Each(&base[1], setup.MeanSojourn)
	r := &study.Result{
		Setup: hfspSetup("Map-only version of the workload. HFSP is told each job's size with a " +
			"uniform error of up to ±α; no training."),
	}
	fig := study.Figure{
		Name: "fig6", Title: "Mean sojourn with wrong sizes", X: "α", Y: "seconds",
		Series: []*study.Series{{Name: "HFSP"}, {Name: "FAIR", Dashed: true}},
	}
	for _, a := range []float64{0.1, 0.2, 0.4, 0.6, 0.8, 1} {
		if o.Quick && a != 0.2 && a != 1 {
			continue
		}
		cfg.SizeError = a
		c, err := setup.Contests(ctx, cfg, list[2:], repeat, load)
		if err != nil {
			return nil, err
		}
		got := setup.Each(&c[0], setup.MeanSojourn)
		fig.Series[0].AddSample(a, got)
		fig.Series[1].AddSample(a, fair)
		claim, bounds := "nearly flat", study.Alike()
		if a == 1 {
			claim, bounds = "slightly affected only for extremely large errors", study.Less(1.25)
		}
		r.Add(study.SaidRow(fmt.Sprintf("α = %g: against exact sizes", a), "×", claim, bounds,
			got.Over(exact)),
			study.OwnRow(fmt.Sprintf("α = %g: against FAIR", a), "×", "below", study.Less(1),
				got.Over(fair)))
	}
	r.Figures = []study.Figure{fig}
	r.Notes = []string{
		"At α = 1 a large job may be taken for nearly nothing. Its projected finish soon passes, " +
			"it then goes before all others until it ends, and a job of 3,000 maps holds the " +
			"whole cluster for some 1,000 s: one such job in one of five seeds makes most of the " +
			"difference. This is how FSP treats late jobs. The paper's mean hardly moves; it " +
			"gives neither its sizes nor its load, and no load of the table makes ours flat.",
		hfspChosen,
	}
	return r, r.AddTables(ctx, o, func(ctx context.Context, o study.Options) (study.Table, error) {
		return wrongTable(ctx, o, list)
	})
}

// wrongTable shows how much wrong sizes cost under other loads; list is hfspTrio's, with sizes
// told.
func wrongTable(
	ctx context.Context, o study.Options, list []simulator.Contender,
) (study.Table, error) {
	t := study.Table{
		Name: "sensitivity", Title: "Mean sojourn with α = 1, by load and by how long maps compute",
		Columns: []string{"choice", "exact sizes (s)", "against exact", "against FAIR"},
	}
	for _, c := range wrongLoads(o) {
		cfg := setup.EC2()
		cfg.Seed, cfg.Cluster.Nodes = o.Seed, c.nodes
		load := setup.Capped(o, 0,
			func(r *rand.Rand) workload.Workload { return workload.MapOnly(fbTasks(c.maps, 0)(r)) })
		base, err := setup.Contests(ctx, cfg, list[1:], o.Repeats(1, 3), load)
		if err != nil {
			return t, err
		}
		cfg.SizeError = 1
		wrong, err := setup.Contests(ctx, cfg, list[2:], o.Repeats(1, 3), load)
		if err != nil {
			return t, err
		}
		exact, got := base[1].Over(setup.MeanSojourn).Mean, wrong[0].Over(setup.MeanSojourn).Mean
		t.Add(c.name, exact, got/exact, got/base[0].Over(setup.MeanSojourn).Mean)
	}
	return t, nil
}

// wrongLoad is a load of the table on wrong sizes.
type wrongLoad struct {
	name  string
	nodes int
	maps  time.Duration
}

func wrongLoads(o study.Options) []wrongLoad {
	list := []wrongLoad{{"as above: 100 nodes, 60 s", 100, hfspMap}}
	if o.Quick {
		return list
	}
	return append(list, wrongLoad{"100 nodes, 2 s", 100, 2 * time.Second},
		wrongLoad{"100 nodes, 30 s", 100, 30 * time.Second},
		wrongLoad{"100 nodes, 120 s", 100, 120 * time.Second},
		wrongLoad{"200 nodes, 60 s", 200, hfspMap}, wrongLoad{"50 nodes, 60 s", 50, hfspMap})
}
