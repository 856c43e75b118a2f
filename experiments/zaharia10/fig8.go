package zaharia10

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/tarry-mr/tarry/experiments/internal/setup"
	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// cpuHeavy is the load of [Zaharia10 §5.1.2] with maps of a length in the smallest bin.
func cpuHeavy(whole time.Duration) study.Load {
	return func(r *rand.Rand) workload.Workload { return workload.FacebookCPU(r, whole) }
}

// fig8 is [Zaharia10 Fig 8, §5.1.2]: the CPU-heavy workload.
func fig8(s *study.Study) {
	all := macro(s, plainMacro(), s.Repeats(1, 10), cpuHeavy(setup.MacroMap))
	macroCDFs(s, "fig8", all, "bin 9")
	most := s.Printed("greatest speed-up of a small job, fair over FIFO", "×", 20, study.Gain,
		greatest(all, fifo, naive, "bin 1", "bin 2"))
	most.Saying("as much as")
	s.Said("bins 1 to 3: mean speed-up, fair over FIFO", "×", "improves small jobs as before",
		study.Significant(), gain(all, fifo, naive, "bin 1", "bin 2", "bin 3"))
	s.Said("bin 9: mean speed-up, fair over FIFO", "×", "slows down the largest jobs",
		study.Less(1), gain(all, fifo, naive, "bin 9"))
	s.Said("mean effect of delay over naive fair, all jobs", "×", "negligible", study.Alike(),
		gain(all, naive, delay))
	var gains []study.Sample
	for _, class := range bins(all[naive]) {
		gains = append(gains, gain(all, naive, delay, class))
	}
	s.Said("least effect of delay over naive fair in a bin", "×", "does not hurt",
		study.Harmless(), slices.MinFunc(gains, study.ByMean))
	s.Said("node-local with delay", "%", "very close to the 99 to 100 % of Fig 6",
		study.AtLeast(98), all[delay].By(study.NodeLocal))
	scheduleRange(s, most)
	t := s.Extra("load", "How busy the cluster is: means over the schedules", "choice",
		"greatest speed-up of a small job, fair over FIFO", "mean effect of delay over naive fair")
	macroLoads(s, t, func(m macroChoice, whole time.Duration) []float64 {
		all := macro(s, m, s.Repeats(1, 3), cpuHeavy(whole))
		return []float64{
			greatest(all, fifo, naive, "bin 1", "bin 2").Mean(), gain(all, naive, delay).Mean(),
		}
	})
}
