package zaharia10

import (
	"time"

	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// fig5 is [Zaharia10 Table 2, Figs 5, 6 and 7, §5.1.1]: the IO-heavy workload under three
// schedulers.
func fig5(s *study.Study) {
	all := macro(s, plainMacro(), s.Repeats(1, 40), overlapping(workload.FacebookIO))
	names := bins(all[fifo])
	macroCDFs(s, "fig5", all, "bin 9")
	local := s.Plot("fig6", "Locality by bin, IO-heavy", "bin", "node-local maps (%)").Bars(names...)
	for _, r := range all {
		line := local.Line(r.Name)
		for _, b := range names {
			line.Y = append(line.Y, r.ClassLocality(b, scheduling.NodeLocal))
		}
	}
	over := s.Plot("fig7", "Speed-up of delay scheduling over naive fair, IO-heavy", "bin",
		"mean speed-up").Bars(names...).Line("")
	gains := map[string]study.Sample{}
	for _, b := range names {
		gains[b] = gain(all, naive, delay, b)
		over.AddBar(gains[b])
		quantity, local := b+": node-local with delay", all[delay].Local(b, scheduling.NodeLocal)
		if b == "bin 9" {
			s.Known(quantity, "%", 99, local).Saying(unmoved)
			continue
		}
		s.PrintedRange(quantity, "%", 99, 100, study.Share, local).Saying("99 to 100 % in all bins")
	}
	scheduleRange(s, scheduleRows(s, all)...)
	s.Said("bins 1 to 3: mean speed-up, fair over FIFO", "×", "greatly improves small jobs",
		study.Significant(), gain(all, fifo, naive, "bin 1", "bin 2", "bin 3"))
	s.Said("bin 9: mean speed-up, fair over FIFO", "×", "slows down the largest jobs",
		study.Less(1), gain(all, fifo, naive, "bin 9"))
	greedyRows(s, all)
	gainRows(s, names, gains)
	macroTable(s)
	t := s.Extra("load", "How busy the cluster is: means over the schedules", "choice",
		"small jobs slowed (%)", "greatest speed-up", "greatest slow-down in bin 9")
	line := func(m macroChoice, load study.Load) []float64 {
		all := macro(s, m, s.Repeats(1, 10), load)
		return []float64{
			slowedSmall(all).Mean(), greatest(all, fifo, naive).Mean(),
			greatest(all, naive, fifo, "bin 9").Mean(),
		}
	}
	macroLoads(s, t, func(m macroChoice, _ time.Duration) []float64 {
		return line(m, overlapping(workload.FacebookIO))
	})
	if t != nil {
		t.Add("maps of 5s, whatever overlaps", line(plainMacro(), workload.FacebookIO)...)
	}
}

// scheduleRows adds the numbers that differ from schedule to schedule.
func scheduleRows(s *study.Study, all study.Comparison) []*study.Row {
	slowed := s.Printed("small jobs (bins 1, 2) 1.5 × slower under FIFO than fair", "%", 30,
		study.Share, slowedSmall(all))
	slowed.Saying("about; significantly slowed down")
	faster := s.Known("greatest speed-up of a job, fair over FIFO", "×", 5, greatest(all, fifo, naive))
	faster.Saying("the length of maps is fitted to it")
	slower := s.Printed("greatest slow-down in bin 9, fair over FIFO", "×", 1.7, study.Gain,
		greatest(all, naive, fifo, "bin 9"))
	slower.Saying("about")
	return []*study.Row{slowed, faster, slower}
}

// greedyRows judges the claims about locality without delay scheduling.
func greedyRows(s *study.Study, all study.Comparison) {
	for _, r := range all[:delay] {
		for _, b := range []string{"bin 1", "bin 2"} {
			s.Said(b+": node-local, "+r.Name, "%", "low for small jobs", study.Less(50),
				r.Local(b, scheduling.NodeLocal))
		}
		s.Said("bin 9: node-local, "+r.Name, "%", "high for the largest jobs, even greedily",
			study.More(80), r.Local("bin 9", scheduling.NodeLocal))
	}
}

// gainRows judges the claims about delay scheduling's gains by bin. The link is fitted to the gain
// of bin 5, which is therefore not judged.
func gainRows(s *study.Study, names []string, gains map[string]study.Sample) {
	for _, b := range names {
		what := b + ": speed-up of delay over naive"
		switch b {
		case "bin 1", "bin 2":
			s.Said(what, "×", "negligible on the smallest jobs", study.Alike(), gains[b])
		case "bin 4", "bin 6":
			s.Said(what, "×", "significant for medium-sized jobs", study.Significant(), gains[b])
		case "bin 5":
			s.Known(b+" (100 maps): speed-up of delay over naive", "×", 1.44, gains[b]).
				Saying("the link is fitted to it")
		default:
			s.Shown(what, "×", gains[b]).Saying("in the figure only")
		}
	}
	s.Said("bin 5 gains more than bin 1 (margin)", "", "especially medium-sized jobs",
		study.More(0), gains["bin 5"].Minus(gains["bin 1"]))
	s.Said("bin 5 gains more than bin 9 (margin)", "", "less on the largest jobs",
		study.More(0), gains["bin 5"].Minus(gains["bin 9"]))
}

// slowedSmall returns the percentage of the small jobs that are 1.5 times as slow under FIFO as
// under fair sharing.
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

// macroTable shows how the gains of delay over naive fair move with the set-up.
func macroTable(s *study.Study) {
	t := s.Extra("sensitivity", "Speed-up of delay over naive fair by bin, and the least node-local "+
		"part of a bin with delay (%), one choice changed", "choice")
	study.Vary(s, t, 2, plainMacro(), macroChoices(), func(m macroChoice) (values []float64) {
		all := macro(s, m, s.Repeats(1, 3), overlapping(workload.FacebookIO))
		names, least := bins(all[fifo]), 100.0
		for _, b := range names {
			values = append(values, study.Average(speedups(all[naive], all[delay], b)))
			least = min(least, all[delay].ClassLocality(b, scheduling.NodeLocal))
		}
		t.Columns = append(append([]string{"choice"}, names...), "least local")
		return append(values, least)
	})
}
