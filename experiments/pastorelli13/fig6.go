package pastorelli13

import (
	"fmt"
	"time"

	"github.com/tarry-mr/tarry/experiments/internal/setup"
	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/scheduling"
)

// sizedLoad is a load of jobs whose sizes HFSP knows, exactly or with an error.
type sizedLoad struct {
	nodes int
	maps  time.Duration // that a map computes
}

// run returns the policies' mean sojourn times, if sizes have a relative error of at most wrong.
func (x sizedLoad) run(s *study.Study, wrong float64, seeds int, policies study.Contenders) []study.Sample {
	cfg := cluster()
	cfg.SizeError, cfg.Cluster.Nodes = wrong, x.nodes
	var means []study.Sample
	for _, r := range s.Compare(cfg, policies, seeds, setup.Capped(s, 0, mapOnly(x.maps))) {
		means = append(means, r.By(study.MeanSojourn))
	}
	return means
}

// fig6 reproduces [Pastorelli13 Fig 6]: sojourn times if HFSP knows job sizes only with an error.
func fig6(s *study.Study) {
	list := trio()
	list[hfsp] = study.Policy("HFSP", "hfsp", setup.Waits(5*time.Second, 0), setup.Packed,
		func(p *scheduling.Policy) { p.HFSP.NoTraining = true })
	x, seeds := sizedLoad{100, computeMap}, s.Repeats(1, 20) // runs, as in the paper
	base := x.run(s, 0, seeds, list[fair:])
	fig := s.Plot("fig6")
	for _, a := range study.Pick(s, []float64{0.2, 1}, []float64{0.1, 0.2, 0.4, 0.6, 0.8, 1}) {
		got := x.run(s, a, seeds, list[hfsp:])[0]
		fig.AddSample("HFSP", a, got)
		fig.AddSample("FAIR", a, base[0]).Dashed = true
		s.Row(fmt.Sprintf("α = %g: against exact sizes", a), got.Over(base[1]))
		s.Row(fmt.Sprintf("α = %g: against FAIR", a), got.Over(base[0]))
	}
	choices := []study.Choice[sizedLoad]{{Name: "as above: 100 nodes, 170 s"}}
	for _, c := range []sizedLoad{{100, 2}, {100, 30}, {100, 60}, {200, 170}, {50, 170}} {
		choices = append(choices, study.With(fmt.Sprintf("%d nodes, %d s", c.nodes, c.maps),
			func(x *sizedLoad) { *x = sizedLoad{c.nodes, c.maps * time.Second} }))
	}
	study.Vary(s, s.Extra("sensitivity"), 1, x, choices, func(x sizedLoad) []float64 {
		base := x.run(s, 0, s.Repeats(1, 3), list[fair:])
		exact, got := base[1].Mean(), x.run(s, 1, s.Repeats(1, 3), list[hfsp:])[0].Mean()
		return []float64{exact, got / exact, got / base[0].Mean()}
	})
}
