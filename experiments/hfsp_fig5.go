package experiments

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// meanSojourn is a result's mean sojourn time in seconds.
func meanSojourn(r *simulator.Result) float64 { return r.Report.Sojourn.Mean }

// hfspFig5 is [Pastorelli13 Fig 5]: the mean sojourn time against the number of nodes.
func hfspFig5(ctx context.Context, o Options) (*Result, error) {
	nodes := []int{10, 20, 40, 60, 80, 100}
	if o.Quick {
		nodes = []int{20, 100}
	}
	list, err := hfspTrio()
	if err != nil {
		return nil, err
	}
	fig := Figure{Name: "fig5", Title: "Mean sojourn against cluster size", X: "nodes", Y: "seconds", Series: []Series{{Name: "FAIR"}, {Name: "HFSP"}}}
	r := &Result{Setup: hfspSetup("10 to 100 nodes, the same jobs.")}
	var gaps []float64
	for _, n := range nodes {
		cfg := ec2()
		cfg.Seed, cfg.Cluster.Nodes = o.Seed, n
		all, err := contests(ctx, cfg, list[1:], o.repeats(1, 5), capped(o, 60, fbDataset))
		if err != nil {
			return nil, err
		}
		for i := range all {
			fig.Series[i].X, fig.Series[i].Y = append(fig.Series[i].X, float64(n)), append(fig.Series[i].Y, all[i].Over(meanSojourn).Mean)
		}
		gap := all[0].Over(meanSojourn).Mean - all[1].Over(meanSojourn).Mean
		gaps = append(gaps, gap)
		r.Rows = append(r.Rows, Row{Quantity: fmt.Sprintf("%d nodes: FAIR − HFSP", n), Unit: "s", Published: math.NaN(), Claim: "HFSP is shorter", Ours: gap, Band: AtLeast(0)})
	}
	r.Rows = append(r.Rows, Row{Quantity: "gap at the fewest nodes over that at the most", Unit: "×", Published: math.NaN(), Claim: "grows as nodes shrink", Ours: gaps[0] / gaps[len(gaps)-1], Band: AtLeast(1)})
	r.Figures = []Figure{fig}
	r.Notes = []string{hfspHistory}
	return r, nil
}

// hfspFig6 is [Pastorelli13 Fig 6]: wrong sizes.
func hfspFig6(ctx context.Context, o Options) (*Result, error) {
	list, err := hfspTrio()
	if err != nil {
		return nil, err
	}
	list[2].Policy.HFSP.NoTraining = true
	load := capped(o, 0, func(r *rand.Rand) workload.Workload { return workload.MapOnly(fbDataset(r)) })
	repeat := o.repeats(1, 20)
	cfg := ec2()
	cfg.Seed = o.Seed
	base, err := contests(ctx, cfg, list[1:], repeat, load)
	if err != nil {
		return nil, err
	}
	fair, exact := base[0].Over(meanSojourn).Mean, base[1].Over(meanSojourn).Mean
	r := &Result{Setup: hfspSetup("Map-only version of the workload. HFSP is told each job's size with a uniform error of up to ±α; no training.")}
	fig := Figure{Name: "fig6", Title: "Mean sojourn with wrong sizes", X: "α", Y: "seconds", Series: []Series{{Name: "HFSP"}, {Name: "FAIR", Dashed: true}}}
	for _, a := range []float64{0.1, 0.2, 0.4, 0.6, 0.8, 1} {
		if o.Quick && a != 0.2 && a != 1 {
			continue
		}
		cfg.SizeError = a
		c, err := contests(ctx, cfg, list[2:], repeat, load)
		if err != nil {
			return nil, err
		}
		got := c[0].Over(meanSojourn).Mean
		fig.Series[0].X, fig.Series[0].Y = append(fig.Series[0].X, a), append(fig.Series[0].Y, got)
		fig.Series[1].X, fig.Series[1].Y = append(fig.Series[1].X, a), append(fig.Series[1].Y, fair)
		r.Rows = append(r.Rows,
			Row{Quantity: fmt.Sprintf("α = %g: against exact sizes", a), Unit: "×", Published: 1, Claim: "nearly flat", Ours: got / exact, Band: AtMost(1.25)},
			Row{Quantity: fmt.Sprintf("α = %g: against FAIR", a), Unit: "×", Published: math.NaN(), Claim: "always below", Ours: got / fair, Band: AtMost(1)})
	}
	r.Figures = []Figure{fig}
	t, err := wrongTable(ctx, o, list)
	if err != nil {
		return nil, err
	}
	r.Tables = []Table{t}
	r.Notes = []string{
		"At α = 1 a large job may be taken for nearly nothing. Its projected finish soon passes, it then goes before all others until it ends, and a job of 3,000 maps holds the whole cluster for some 1,000 s: one such job in one of five seeds makes most of the difference. This is how FSP treats late jobs. The paper's mean hardly moves; it gives neither its sizes nor its load, and no load of the table makes ours flat.",
		hfspHistory,
	}
	return r, nil
}

// wrongTable shows how much wrong sizes cost under other loads; list is hfspTrio's, with sizes told.
func wrongTable(ctx context.Context, o Options, list []simulator.Contender) (Table, error) {
	t := Table{Name: "sensitivity", Title: "Mean sojourn with α = 1, by load and by how long maps compute", Columns: []string{"choice", "exact sizes (s)", "against exact", "against FAIR"}}
	for _, c := range wrongLoads(o) {
		cfg := ec2()
		cfg.Seed, cfg.Cluster.Nodes = o.Seed, c.nodes
		load := capped(o, 0, func(r *rand.Rand) workload.Workload { return workload.MapOnly(fbTasks(c.maps, 0)(r)) })
		base, err := contests(ctx, cfg, list[1:], o.repeats(1, 5), load)
		if err != nil {
			return t, err
		}
		cfg.SizeError = 1
		wrong, err := contests(ctx, cfg, list[2:], o.repeats(1, 5), load)
		if err != nil {
			return t, err
		}
		exact, got := base[1].Over(meanSojourn).Mean, wrong[0].Over(meanSojourn).Mean
		t.add(c.name, exact, got/exact, got/base[0].Over(meanSojourn).Mean)
	}
	return t, nil
}

// wrongLoad is a load of the table on wrong sizes.
type wrongLoad struct {
	name  string
	nodes int
	maps  time.Duration
}

func wrongLoads(o Options) []wrongLoad {
	list := []wrongLoad{{"as above: 100 nodes, 60 s", 100, hfspMap}}
	if o.Quick {
		return list
	}
	return append(list, wrongLoad{"100 nodes, 2 s (first set-up)", 100, 2 * time.Second}, wrongLoad{"100 nodes, 30 s", 100, 30 * time.Second},
		wrongLoad{"100 nodes, 120 s", 100, 120 * time.Second}, wrongLoad{"200 nodes, 60 s", 200, hfspMap}, wrongLoad{"50 nodes, 60 s", 50, hfspMap})
}
