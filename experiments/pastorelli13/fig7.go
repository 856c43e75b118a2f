package pastorelli13

import (
	"context"

	"github.com/tarry-mr/tarry/experiments/internal/report"
	"github.com/tarry-mr/tarry/experiments/internal/setup"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// Fig7 is [Pastorelli13 Fig 7]: ways to take reduce slots back.
func Fig7(ctx context.Context, o report.Options) (*report.Result, error) {
	r := &report.Result{Setup: []string{
		"4 nodes of 2 reduce slots. Job 1 has 11 reduces of 500 s and comes at 2:20; job 2 has 2 " +
			"reduces, jobs 3 to 5 one each, all at 2:30.",
		"The small jobs' reduces take 400 s: not published, inferred, because it fits both " +
			"published means.",
		"Policy hfsp, sizes known, event drive.",
	}}
	bars := report.Figure{
		Name: "fig7", Title: "Sojourn times by way of preemption", X: "job", Y: "minutes",
		Categories: []string{"j1", "j2", "j3", "j4", "j5"},
	}
	var means [3]float64
	for i, way := range []struct {
		name    string
		reclaim scheduling.Reclaim
	}{
		{"eager", scheduling.EagerSuspend},
		{"wait", scheduling.WaitForSlot},
		{"kill", scheduling.KillLarger},
	} {
		p := setup.Preset("hfsp",
			func(p *scheduling.Policy) { p.HFSP.Reclaim, p.HFSP.NoTraining = way.reclaim, true })
		w := workload.Preemption()
		res, err := simulator.Run(ctx, simulator.Config{
			Cluster: simulator.Cluster{Nodes: 4, MapSlots: 2, ReduceSlots: 2}, Policy: p,
			Seed: o.Seed,
		}, &w)
		if err != nil {
			return nil, err
		}
		means[i] = res.Report.Sojourn.Mean / 60
		s := report.Series{Name: way.name}
		for k := range res.Jobs {
			s.Y = append(s.Y, res.Jobs[k].Sojourn().Minutes())
		}
		bars.Series = append(bars.Series, s)
		if way.reclaim == scheduling.KillLarger {
			r.Add(report.Published("kill: tasks of job 1 killed", "", 6,
				float64(res.Report.Preempted.Killed), report.Within(6, 1)))
		}
	}
	r.Add(report.Published("eager: mean sojourn", "min", 9, means[0], report.Within(9, 1)),
		report.Published("wait: mean sojourn", "min", 15, means[1], report.Within(15, 1)),
		report.Claimed("kill: job 1 against eager", "×", "later",
			bars.Series[2].Y[0]/bars.Series[0].Y[0], report.AtLeast(1)),
	)
	r.Figures = []report.Figure{bars}
	r.Notes = []string{
		"The small jobs have five reduces together, so five kills are enough; the paper reports " +
			"six and does not say why.",
	}
	return r, nil
}
