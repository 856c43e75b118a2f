package zaharia10

import (
	"time"

	"github.com/tarry-mr/tarry/experiments/internal/setup"
	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// mixedReduce is the computing time of a reduce, without fetching and merging. It is fitted to the
// published median of bin 3.
const mixedReduce = 43 * time.Second

// mixedChoice contains the settings of the mixed workload; reduce is how long a reduce computes.
type mixedChoice struct {
	macroChoice
	reduce time.Duration
}

// run simulates the workload of Table 3 with these settings, under the three schedulers of macro.
func (m mixedChoice) run(s *study.Study, seeds int) study.Comparison {
	load := study.Changed(overlapping(workload.FacebookMixed), func(j *workload.Job) {
		j.Reduce.Time, j.Reduce.Spread = m.reduce, 0.4
	})
	return macro(s, m.macroChoice, seeds, load)
}

// fig9 reproduces [Zaharia10 Table 3, Figs 9 and 10, §5.1.3]: the mixed workload.
func fig9(s *study.Study) {
	all := mixedChoice{plainMacro(), mixedReduce}.run(s, s.Repeats(1, 40))
	names := bins(10)
	macroCDFs(s, "fig9", all, "bin 9", "bin 10")
	bars := s.Plot("fig10")
	for _, b := range names {
		for _, to := range []int{naive, delay} {
			bars.Bar(all[to].Name, b, gain(all, fifo, to, b).Mean())
		}
		s.Row(b+": speed-up of naive fair over FIFO", gain(all, fifo, naive, b))
		if b == "bin 9" || b == "bin 10" {
			s.Row(b+": speed-up of delay over FIFO", gain(all, fifo, delay, b))
		} else {
			s.Row(b+": speed-up of delay over naive fair", gain(all, naive, delay, b))
		}
	}
	io, reduces := mixedGains(all)
	s.Row("bins 1, 2 gain more than bin 3 from fair sharing (margin)",
		gain(all, fifo, naive, "bin 1", "bin 2").Minus(gain(all, fifo, naive, "bin 3")))
	s.Row("gain of delay over naive, IO-heavy bins (1, 2, 4, 5, 7, 10) less those with reduces "+
		"(3, 6, 8, 9)",
		io.Minus(reduces))
	s.Row("bins 1, 2: median response with delay", medianOf(all, "bin 1", "bin 2"))
	s.Row("bin 3: median response with delay", medianOf(all, "bin 3"))
	const second = time.Second
	list := append(study.Sweep("reduces compute for %v",
		[]time.Duration{0, 25 * second, 50 * second, 75 * second},
		func(m *mixedChoice, reduce time.Duration) { m.reduce = reduce }),
		study.With("reads 5 s, computes 5 s, remote reads twice as long, no contention, reduces "+
			"compute for 0 s", func(m *mixedChoice) {
			halves(&m.macroChoice)
			m.network = setup.Factors(2, 2)
		}))
	study.Vary(s, s.Extra("sensitivity"), 0, mixedChoice{macroChoice: plainMacro()}, list, func(m mixedChoice) []float64 {
		all := m.run(s, s.Repeats(1, 3))
		io, reduces := mixedGains(all)
		return []float64{
			medianOf(all, "bin 1", "bin 2").Mean(), medianOf(all, "bin 3").Mean(), io.Mean(),
			reduces.Mean(),
		}
	})
}

// medianOf returns the median response time of some classes with delay scheduling, in seconds.
func medianOf(all study.Comparison, classes ...string) study.Sample {
	return all.BySeed(func(one study.Comparison) float64 {
		return study.Median(one[delay].Sojourns(classes...))
	})
}

// mixedGains returns the speed-ups of delay scheduling over naive fair sharing, by seed: the mean
// of the bins of IO-heavy jobs, and that of the bins of jobs with reduces.
func mixedGains(all study.Comparison) (io, reduces study.Sample) {
	mean := func(names ...string) study.Sample {
		var gains []study.Sample
		for _, b := range names {
			gains = append(gains, gain(all, naive, delay, b))
		}
		return study.MeanOf(gains)
	}
	return mean("bin 1", "bin 2", "bin 4", "bin 5", "bin 7", "bin 10"),
		mean("bin 3", "bin 6", "bin 8", "bin 9")
}
