package own

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/tarry-mr/tarry/experiments/internal/setup"
	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// Failures takes nodes out under a mixed load, with reduces placed and not.
func Failures(ctx context.Context, o study.Options) (*study.Result, error) {
	var list []simulator.Contender
	for _, s := range []struct {
		name string
		rule scheduling.ReduceRule
	}{{"any node", scheduling.AnyNode}, {"CoGRS", scheduling.CoGRS}} {
		p := setup.Preset("hfs",
			func(p *scheduling.Policy) { p.Reduce.Rule, p.SlowStart = s.rule, 0.5 })
		list = append(list, simulator.Contender{Name: s.name, Policy: p})
	}
	r := &study.Result{Setup: failuresSetup()}
	fig := study.Figure{
		Name: "makespan", Title: "Makespan under failures of nodes",
		X: "failures of a node in an hour", Y: "makespan over that without failures",
		Series: []*study.Series{{Name: list[0].Name}, {Name: list[1].Name}},
	}
	var base [2]study.Sample
	for _, hours := range []float64{0, 8, 2, 0.5} {
		cfg := setup.EC2()
		cfg.Seed, cfg.Cluster.Racks, cfg.Core.Expiry = o.Seed, 4, 30*time.Second
		cfg.TellProgress, cfg.Failures.MTBF = true, time.Duration(hours*float64(time.Hour))
		all, err := setup.Contests(ctx, cfg, list, o.Repeats(1, 10),
			func(*rand.Rand) workload.Workload { return setup.ShuffleJobs(20, 56, 20, 1) })
		if err != nil {
			return nil, err
		}
		name, rate := fmt.Sprintf("a node fails each %g h", hours), 1/hours
		if hours == 0 {
			name, rate = "no failures", 0
		}
		for k := range all {
			m := setup.Each(&all[k], setup.Makespan)
			if hours == 0 {
				base[k] = m
			}
			fig.Series[k].AddSample(rate, m.Over(base[k]))
			ended := setup.Each(&all[k], func(r *simulator.Result) float64 {
				return float64(r.Report.Jobs)
			})
			slower := study.Shown(name+", "+all[k].Name+": makespan against none", "×",
				m.Over(base[k]))
			if hours == 0.5 {
				slower = study.OwnRow(slower.Quantity, "×", "failures cost time", study.More(1),
					slower.Ours)
			}
			r.Add(study.Shown(name+", "+all[k].Name+": jobs ended", "", ended), slower)
		}
		r.Add(study.OwnRow(name+": off-rack bytes saved by CoGRS", "%",
			"more than none, also under failures", study.More(0),
			study.Pair(setup.Each(&all[1], setup.OffRack), setup.Each(&all[0], setup.OffRack),
				func(ours, any float64) float64 { return 100 * (1 - ours/any) })))
	}
	r.Figures = []study.Figure{fig}
	return r, nil
}

// failuresSetup names the choices.
func failuresSetup() []string {
	return []string{
		setup.EC2Setup()[0], "Four racks here. " + setup.EC2Setup()[1],
		"Twenty jobs of 56 maps and 20 reduces, together, lognormal factor of sigma 1 on each " +
			"(map, partition); policy hfs, reduces from half of the maps on, with and without " +
			"CoGRS.",
		"Nodes fail at random, exponential, for 10 min each; what ran there and the map outputs " +
			"there are lost (and no longer weigh), a silent node is given up after 30 s.",
	}
}
