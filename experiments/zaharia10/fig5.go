package zaharia10

import (
	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// fig5 reproduces [Zaharia10 Table 2, Figs 5, 6 and 7, §5.1.1]: the IO-heavy workload under three
// schedulers.
func fig5(s *study.Study) {
	all := macro(s, plainMacro(), s.Repeats(1, 40), overlapping(workload.FacebookIO))
	names := bins(9)
	macroCDFs(s, "fig5", all, "bin 9")
	local, over := s.Plot("fig6"), s.Plot("fig7")
	gains := map[string]study.Sample{}
	for _, b := range names {
		for _, r := range all {
			local.Bar(r.Name, b, r.ClassLocality(b, scheduling.NodeLocal))
		}
		gains[b] = gain(all, naive, delay, b)
		over.BarSample("", b, gains[b])
		s.Row(b+": node-local with delay", all[delay].Local(b, scheduling.NodeLocal))
	}
	scheduleRange(s,
		s.Row("small jobs (bins 1, 2) 1.5 × slower under FIFO than fair", slowedSmall(all)),
		s.Row("greatest speed-up of a job, fair over FIFO", greatest(all, fifo, naive)),
		s.Row("greatest slow-down in bin 9, fair over FIFO", greatest(all, naive, fifo, "bin 9")))
	s.Row("bins 1 to 3: mean speed-up, fair over FIFO",
		gain(all, fifo, naive, "bin 1", "bin 2", "bin 3"))
	s.Row("bin 9: mean speed-up, fair over FIFO", gain(all, fifo, naive, "bin 9"))
	for _, r := range all[:delay] {
		for _, b := range []string{"bin 1", "bin 2", "bin 9"} {
			s.Row(b+": node-local, "+r.Name, r.Local(b, scheduling.NodeLocal))
		}
	}
	for _, b := range names {
		name := b
		if b == "bin 5" {
			name += " (100 maps)"
		}
		s.Row(name+": speed-up of delay over naive", gains[b])
	}
	s.Row("bin 5 gains more than bin 1 (margin)", gains["bin 5"].Minus(gains["bin 1"]))
	s.Row("bin 5 gains more than bin 9 (margin)", gains["bin 5"].Minus(gains["bin 9"]))
	study.Vary(s, s.Extra("sensitivity"), 2, plainMacro(), macroChoices(), func(m macroChoice) (values []float64) {
		all := macro(s, m, s.Repeats(1, 3), overlapping(workload.FacebookIO))
		least := 100.0
		for _, b := range names {
			values = append(values, study.Average(speedups(all[naive], all[delay], b)))
			least = min(least, all[delay].ClassLocality(b, scheduling.NodeLocal))
		}
		return append(values, least)
	})
	t := s.Extra("load")
	line := func(m macroChoice, load study.Load) []float64 {
		all := macro(s, m, s.Repeats(1, 10), load)
		return []float64{
			slowedSmall(all).Mean(), greatest(all, fifo, naive).Mean(),
			greatest(all, naive, fifo, "bin 9").Mean(),
		}
	}
	lengths := study.Pick(s, []int{10}, []int{4, 5, 8, 10})
	study.Vary(s, t, 1, plainMacro(), study.Sweep("maps of %ds", lengths, (*macroChoice).lengthen),
		func(m macroChoice) []float64 { return line(m, overlapping(workload.FacebookIO)) })
	if t != nil {
		t.Add("maps of 5s, whatever overlaps", line(plainMacro(), workload.FacebookIO)...)
	}
}

// slowedSmall returns the percentage of the small jobs that take more than 1.5 times as long under
// FIFO as under fair sharing.
func slowedSmall(all study.Comparison) study.Sample {
	return all.BySeed(func(one study.Comparison) float64 {
		small := speedups(one[fifo], one[naive], "bin 1", "bin 2")
		slowed := 0
		for _, x := range small {
			if x > 1.5 {
				slowed++
			}
		}
		return 100 * float64(slowed) / float64(len(small))
	})
}
