package own

import (
	"time"

	"github.com/tarry-mr/tarry/experiments/internal/setup"
	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// slownesses are causes of slow tasks, as changes of the cluster. All but the first make stragglers,
// so that speculative attempts should save time.
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
	s.Fill("maps", sortMaps, "reduces", sortReduces)
	times, copies, fig := s.Table("times"), s.Table("copies"), s.Plot("stragglers")
	for _, c := range slownesses {
		cfg := setup.EC2()
		cfg.TellProgress, cfg.Cluster = true, c.Of(cfg.Cluster)
		all := s.Compare(cfg, speculators(), s.Repeats(2, 20), study.Always(oneSort()))
		var mean, won []float64
		for k, r := range all {
			mean = append(mean, r.By(study.MeanSojourn).Mean())
			fig.Bar(r.Name, c.Name, mean[k]/mean[0])
			if k > 0 {
				won = append(won, r.By(copiesLaunched).Mean(), r.By(copiesWon).Mean())
			}
		}
		times.Add(c.Name, mean...)
		copies.Add(c.Name, won...)
		copiesRows(s, c.Name, all)
	}
}

// copiesRows adds rows that compare LATE with no speculation and, if stragglers exist, other rules.
func copiesRows(s *study.Study, name string, all study.Comparison) {
	const none, native, late, anywhere = 0, 1, 2, 3
	over := func(a, b int) study.Sample { return all.Over(a, b, study.MeanSojourn) }
	if name == slownesses[0].Name {
		s.Row(name+": LATE against no copies", over(late, none))
		return
	}
	s.Row(name+": no copies against LATE", over(none, late))
	s.Row(name+": native against LATE", over(native, late))
	s.Row(name+": LATE on any node against LATE", over(anywhere, late))
	s.Row(name+": no copies against native", over(none, native))
}

// The numbers of the job's tasks: fewer than slots, so that some slots are free for speculation.
const sortMaps, sortReduces = 380, 180

// oneSort returns a job of one wave of maps and one wave of reduces.
func oneSort() workload.Workload {
	const bytes = sortMaps * workload.DefaultBlock
	return workload.Workload{Name: "sort", Jobs: []workload.Job{{
		Name: "sort", User: "u", Maps: sortMaps, Reduces: sortReduces,
		InputBytes: bytes, ShuffleBytes: bytes, OutputBytes: bytes,
		Map:    workload.Cost{CPU: -1, Time: 60 * time.Second, Spread: 0.1},
		Reduce: workload.Cost{CPU: -1, Time: 60 * time.Second, Spread: 0.1},
	}}}
}

func copiesLaunched(r *simulator.Result) float64 { return float64(r.Report.Copies.Launched) }

// copiesWon returns the fraction of the speculative attempts that ended first, 0 without any.
func copiesWon(r *simulator.Result) float64 {
	return float64(r.Report.Copies.Won) / max(1, float64(r.Report.Copies.Launched))
}
