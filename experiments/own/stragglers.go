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

// stragglerCase is a cluster on which tasks are slow for one reason.
type stragglerCase struct {
	name    string
	change  func(*simulator.Cluster)
	sources bool // of stragglers: copies should pay
	nodes   bool // are slow
}

func stragglerCases() []stragglerCase {
	return []stragglerCase{
		{"all nodes alike", func(*simulator.Cluster) {}, false, false},
		{"a third of the nodes half as fast", func(c *simulator.Cluster) { c.SlowNodes, c.SlowFactor = 1.0/3, 2 }, true, true},
		{"8 % of the nodes 8 times as slow", func(c *simulator.Cluster) { c.SlowNodes, c.SlowFactor = 0.08, 8 }, true, true},
		{"2 % of the attempts 8 times as slow", func(c *simulator.Cluster) { c.Stragglers, c.StragglerFactor = 0.02, 8 }, true, false},
	}
}

// speculators are policies without copies, and with copies by either rule.
func speculators() (list []simulator.Contender) {
	rule := func(name string, s scheduling.SpeculationPolicy) {
		p := setup.Preset("hfs", func(p *scheduling.Policy) { p.Speculation = s })
		list = append(list, simulator.Contender{Name: name, Policy: p})
	}
	rule("no copies", scheduling.SpeculationPolicy{})
	rule("native", scheduling.SpeculationPolicy{Rule: scheduling.NativeRule})
	rule("LATE", scheduling.SpeculationPolicy{Rule: scheduling.LATE})
	rule("LATE on any node", scheduling.SpeculationPolicy{Rule: scheduling.LATE, SlowNode: 1e9})
	return list
}

// Stragglers shows what copies of slow tasks buy, by Hadoop's first rule and by LATE.
func Stragglers(ctx context.Context, o study.Options) (*study.Result, error) {
	list := speculators()
	r := &study.Result{Setup: stragglersSetup()}
	times := study.Table{
		Name: "times", Title: "Time of the job, seconds",
		Columns: []string{"cluster", "no copies", "native", "LATE", "LATE on any node"},
	}
	copies := study.Table{
		Name: "copies", Title: "Copies launched, and the part of them that ended first",
		Columns: []string{"cluster", "native", "won", "LATE", "won", "LATE on any node", "won"},
	}
	fig := study.Figure{
		Name: "stragglers", Title: "Time of a job with stragglers", X: "cluster", Y: "time over that without copies",
	}
	for _, c := range list {
		fig.Series = append(fig.Series, &study.Series{Name: c.Name})
	}
	for _, c := range stragglerCases() {
		cfg := setup.EC2()
		cfg.Seed, cfg.TellProgress = o.Seed, true
		c.change(&cfg.Cluster)
		all, err := setup.Contests(ctx, cfg, list, o.Repeats(2, 20), oneSort)
		if err != nil {
			return nil, err
		}
		var mean, won []float64
		for k := range all {
			mean = append(mean, all[k].Over(setup.MeanSojourn).Mean)
			fig.Series[k].Y = append(fig.Series[k].Y, mean[k]/mean[0])
			if k > 0 {
				won = append(won, all[k].Over(copiesLaunched).Mean, all[k].Over(copiesWon).Mean)
			}
		}
		fig.Categories = append(fig.Categories, c.name)
		times.Add(c.name, mean...)
		copies.Add(c.name, won...)
		over := func(a, b int) study.Sample {
			return setup.Each(&all[a], setup.MeanSojourn).Over(
				setup.Each(&all[b], setup.MeanSojourn))
		}
		if !c.sources {
			r.Add(study.Shown(c.name+": LATE against no copies", "×", over(2, 0)).
				OldSaying("not judged: no fault that was tried moves it"))
			continue
		}
		r.Add(study.OwnRow(c.name+": no copies against LATE", "×", "LATE is faster",
			study.More(1), over(0, 2)),
			onSlow(c, ": native against LATE", "LATE is faster", over(1, 2)),
			onSlow(c, ": LATE on any node against LATE", "slow nodes get no copies for a reason",
				over(3, 2)),
			study.Shown(c.name+": no copies against native", "×", over(0, 1)))
	}
	r.Figures, r.Tables = []study.Figure{fig}, []study.Table{times, copies}
	r.Notes = []string{
		"Copies of maps wait as all maps off their data do, 15 s each with these waits, as in Hadoop's " +
			"Fair Scheduler.",
		"Two points differ from Hadoop 0.21, whose LATE was no faster than its first rule here: the rate of " +
			"a reduce counts from the end of the job's last map (it is no slow reduce that has waited), and a " +
			"node is also known by the attempts that run there or were overtaken (nothing has ended on the " +
			"slowest nodes, so that Hadoop gives them copies).",
		"[Zaharia08] reports a factor of 2 over Hadoop's own rule on 200 virtual machines, and does " +
			"not give the load of each: the slow nodes here are ours, so no number of the paper is judged.",
	}
	return r, nil
}

// onSlow judges what LATE saves over another rule where nodes are slow, and shows it elsewhere.
func onSlow(c stragglerCase, what, claim string, times study.Sample) study.Row {
	if !c.nodes {
		return study.Shown(c.name+what, "×", times)
	}
	return study.OwnRow(c.name+what, "×", claim, study.More(1), times)
}

// oneSort is a job of one wave of maps and one of reduces.
func oneSort(*rand.Rand) workload.Workload {
	const maps, reduces = 380, 180
	return workload.Workload{Name: "sort", Jobs: []workload.Job{{
		Name: "sort", User: "u", Maps: maps, Reduces: reduces,
		InputBytes: maps * workload.DefaultBlock, ShuffleBytes: maps * workload.DefaultBlock, OutputBytes: maps * workload.DefaultBlock,
		Map:    workload.Cost{CPU: -1, Time: 60 * time.Second, Spread: 0.1},
		Reduce: workload.Cost{CPU: -1, Time: 60 * time.Second, Spread: 0.1},
	}}}
}

func copiesLaunched(r *simulator.Result) float64 { return float64(r.Report.Copies.Launched) }

// copiesWon is the part of the copies that ended first, 0 without copies.
func copiesWon(r *simulator.Result) float64 {
	return float64(r.Report.Copies.Won) / max(1, float64(r.Report.Copies.Launched))
}

func stragglersSetup() []string {
	return []string{
		setup.EC2Setup()[0], setup.EC2Setup()[1], setup.EC2Setup()[2],
		fmt.Sprintf("One job that sorts: %d maps and %d reduces, fewer than there are slots, each of which computes for "+
			"60 s, lognormal factor of sigma 0.1; policy hfs.", 380, 180),
		"Copies by Hadoop's numbers: after 60 s; native rule 0.2 below the mean progress; LATE one standard " +
			"deviation below the mean rate, not on nodes one deviation above the mean time, 10 copies or 10 % " +
			"of the running tasks.",
	}
}
