package pastorelli13

import (
	"cmp"
	"slices"
	"time"

	"github.com/tarry-mr/tarry/experiments/internal/setup"
	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator"
)

// fig3 reproduces [Pastorelli13 Figs 3 and 4, §4.2]: sojourn times and locality on the FB-dataset.
func fig3(s *study.Study) {
	all := fbChoice{maps: computeMap, reduces: computeReduce}.run(s, s.Repeats(1, 40))
	for _, class := range []string{"small", "medium", "large"} {
		f := s.Plot("fig3-" + class)
		for _, r := range all {
			f.Distribution(r.Name, r.Sojourns(class))
		}
		s.Row(class+" jobs: mean sojourn FAIR over HFSP",
			all.Mean(fair, class).Over(all.Mean(hfsp, class)))
	}
	s.Row("mean sojourn FAIR over HFSP", all.Mean(fair).Over(all.Mean(hfsp)))
	s.Row("mean sojourn FIFO over HFSP", all.Mean(fifo).Over(all.Mean(hfsp)))
	s.Row("mean sojourn under FIFO", all.Mean(fifo))
	s.Row("mean sojourn under HFSP", all.Mean(hfsp))
	for kind, name := range [2]string{"maps", "reduces"} { // FAIR and HFSP should treat both jobs alike
		largest := func(r *simulator.Result) float64 {
			job := slices.MaxFunc(r.Jobs, func(a, b simulator.JobResult) int {
				return cmp.Compare(a.Tasks[kind], b.Tasks[kind])
			})
			return job.Sojourn().Seconds()
		}
		s.Row("job with the most "+name+": sojourn FAIR over HFSP", all.Over(fair, hfsp, largest))
	}
	// Fig 4: one job of 100 is slower under HFSP than under FAIR, by 9 s.
	slower := func(by time.Duration) study.Sample {
		return all.BySeed(func(one study.Comparison) float64 { return worse(one, by) })
	}
	s.Row("jobs of 100 slower under HFSP than FAIR, by more than a second", slower(time.Second))
	s.Row("the slowest of them slower by",
		all.BySeed(func(one study.Comparison) float64 { return max(0, slices.Max(losses(one))) }))
	s.Row("jobs more than 10 s worse under HFSP than FAIR", slower(10*time.Second))
	local := func(policy int) study.Sample { return all[policy].By(study.NodeLocal) }
	s.Row("node-local maps, FAIR", local(fair))
	s.Row("node-local maps, HFSP", local(hfsp))
	s.Row("node-local maps, HFSP less FAIR", local(hfsp).Minus(local(fair)))
	s.Row("maps under FAIR and HFSP together",
		all[fair].By(func(r *simulator.Result) float64 { return float64(r.Report.Maps.All()) }).Times(2))
	// HFSP's training, for which the paper gives no numbers.
	over := func(change study.Change) study.Sample {
		load := setup.Capped(s, 60, fbTasks(computeMap, computeReduce))
		return study.Comparison{s.Simulate(cluster(), trio(change)[hfsp], len(all[hfsp].Results), load), all[hfsp]}.
			Over(0, 1, study.MeanSojourn)
	}
	s.Row("mean sojourn, ξ = ∞ over ξ = 1",
		over(func(p *scheduling.Policy) { p.HFSP.Xi = -1 }))
	s.Row("mean sojourn, 20 samples over 5",
		over(func(p *scheduling.Policy) { p.HFSP.Sample = 20 }))
	fbSensitivity(s)
}

// losses returns how many seconds longer each job takes under HFSP than under FAIR.
func losses(all study.Comparison) (list []float64) {
	for i, r := range all[fair].Results {
		for k := range r.Jobs {
			list = append(list, (all[hfsp].Results[i].Jobs[k].Sojourn() - r.Jobs[k].Sojourn()).Seconds())
		}
	}
	return list
}

// worse returns the percentage of the jobs that lose more than by.
func worse(all study.Comparison, by time.Duration) float64 {
	n, list := 0, losses(all)
	for _, loss := range list {
		if loss > by.Seconds() {
			n++
		}
	}
	return 100 * float64(n) / float64(len(list))
}

// fbChoice contains the parameters of the runs on the FB-dataset that the paper does not give.
type fbChoice struct {
	maps, reduces time.Duration // that tasks compute
	changes       []study.Change
}

func (c fbChoice) run(s *study.Study, seeds int) study.Comparison {
	return s.Compare(cluster(), trio(c.changes...), seeds,
		setup.Capped(s, 60, fbTasks(c.maps, c.reduces)))
}

// fbSensitivity adds a table that compares FIFO, FAIR and HFSP under other settings.
func fbSensitivity(s *study.Study) {
	known := func(p *scheduling.Policy) { p.HFSP.NoTraining = true }
	late := func(p *scheduling.Policy) { p.SlowStart = 1 }
	changed := func(name string, list ...study.Change) study.Choice[fbChoice] {
		return study.With(name, func(c *fbChoice) { c.changes = list })
	}
	tasks := func(name string, maps, reduces int) study.Choice[fbChoice] {
		return study.With(name, func(c *fbChoice) {
			c.maps, c.reduces = time.Duration(maps)*time.Second, time.Duration(reduces)*time.Second
		})
	}
	list := []study.Choice[fbChoice]{
		changed("as above"), changed("sizes known", known),
		changed("reduces start when all maps are done", late), changed("both", known, late),
		changed("no waiting for local maps", setup.Waits(0, 0)),
		tasks("maps compute 2 s, reduces 0 s", 2, 0), tasks("maps 40 s, reduces 120 s", 40, 120),
		tasks("maps 170 s, reduces 240 s", 170, 240), tasks("maps 60 s, reduces 480 s", 60, 480),
	}
	base := fbChoice{maps: computeMap, reduces: computeReduce}
	study.Vary(s, s.Extra("sensitivity"), 1, base, list, func(c fbChoice) (values []float64) {
		all := c.run(s, s.Repeats(1, 3))
		mean := func(policy int, classes ...string) float64 {
			return study.Average(all[policy].Sojourns(classes...))
		}
		values = append(values, mean(fifo), mean(fair), mean(hfsp))
		for _, class := range []string{"small", "medium", "large"} {
			values = append(values, mean(fair, class)/mean(hfsp, class))
		}
		return append(values, worse(all, 10*time.Second))
	})
}
