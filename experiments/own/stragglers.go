package own

import (
	"time"

	"github.com/tarry-mr/tarry/experiments/internal/setup"
	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// slownesses are causes of slow tasks, as changes of the cluster. All but the first make
// stragglers, so that speculative attempts should save time.
var slownesses = []study.Choice[simulator.Cluster]{
	{Name: "all nodes alike"},
	study.With("a third of the nodes half as fast",
		func(c *simulator.Cluster) { c.SlowNodes, c.SlowFactor = 1.0/3, 2 }),
	study.With("8 % of the nodes 8 times as slow",
		func(c *simulator.Cluster) { c.SlowNodes, c.SlowFactor = 0.08, 8 }),
	study.With("2 % of the attempts 8 times as slow",
		func(c *simulator.Cluster) { c.Stragglers, c.StragglerTimes = 0.02, workload.Dist{A: 8} }),
}

// speculators returns policies without speculation, with Hadoop's first rule, and with LATE.
func speculators() study.Contenders {
	policy := func(name string, rule scheduling.SpeculationPolicy) simulator.Contender {
		return study.Policy(name, "hfs", func(p *scheduling.Policy) { p.Speculation = rule })
	}
	return study.Contenders{
		policy("no copies", scheduling.SpeculationPolicy{}),
		policy("native", scheduling.SpeculationPolicy{Rule: scheduling.NativeRule}),
		policy("LATE", scheduling.SpeculationPolicy{Rule: scheduling.LATE}),
		policy("LATE on any node", scheduling.SpeculationPolicy{Rule: scheduling.LATE, SlowNode: 1e9}),
	}
}

// stragglers measures the gain of speculative attempts by Hadoop's first rule and by LATE.
func stragglers(s *study.Study) {
	const maps, reduces = 380, 180 // fewer than slots, so that some slots are free for speculation
	const bytes = maps * workload.DefaultBlock
	s.Fill("maps", maps, "reduces", reduces)
	task := workload.Cost{CPU: -1, Time: 60 * time.Second, Spread: 0.1}
	sort := workload.Workload{Name: "sort", Jobs: []workload.Job{{ // one wave of maps and one of reduces
		Name: "sort", User: "u", Maps: maps, Reduces: reduces, Map: task, Reduce: task,
		InputBytes: bytes, ShuffleBytes: bytes, OutputBytes: bytes,
	}}}
	times, copies, fig := s.Table("times"), s.Table("copies"), s.Plot("stragglers")
	launched := func(r *simulator.Result) float64 { return float64(r.Report.Copies.Launched) }
	for _, c := range slownesses {
		cfg := setup.EC2()
		cfg.TellProgress, cfg.Cluster = true, c.Of(cfg.Cluster)
		all := s.Compare(cfg, speculators(), s.Repeats(2, 20), study.Always(sort))
		var mean, won []float64
		for k, r := range all {
			mean = append(mean, r.By(study.MeanSojourn).Mean())
			fig.Bar(r.Name, c.Name, mean[k]/mean[0])
			if k > 0 {
				won = append(won, r.By(launched).Mean(), r.By(copiesWon).Mean())
			}
		}
		times.Add(c.Name, mean...)
		copies.Add(c.Name, won...)
		const none, native, late, anywhere = 0, 1, 2, 3
		over := func(a, b int) study.Sample { return all.Over(a, b, study.MeanSojourn) }
		if c.Name == slownesses[0].Name {
			s.Row(c.Name+": LATE against no copies", over(late, none))
			continue
		}
		s.Row(c.Name+": no copies against LATE", over(none, late))
		s.Row(c.Name+": native against LATE", over(native, late))
		s.Row(c.Name+": LATE on any node against LATE", over(anywhere, late))
		s.Row(c.Name+": no copies against native", over(none, native))
	}
}

// copiesWon returns the fraction of the speculative attempts that ended first, 0 without any.
func copiesWon(r *simulator.Result) float64 {
	return float64(r.Report.Copies.Won) / max(1, float64(r.Report.Copies.Launched))
}
