package zaharia10

import (
	"slices"
	"time"

	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// udf is the additional time of a map of the CPU-heavy jobs, which runs a user-defined function.
const udf = 21 * time.Second

// cpuHeavy returns the load of [Zaharia10 §5.1.2]: the IO-heavy one, with each map longer by more.
func cpuHeavy(more time.Duration) study.Load {
	return study.Changed(overlapping(workload.FacebookIO), func(j *workload.Job) { j.Map.Time += more })
}

// fig8 reproduces [Zaharia10 Fig 8, §5.1.2]: the CPU-heavy workload.
func fig8(s *study.Study) {
	light := macro(s, plainMacro(), s.Repeats(1, 40), overlapping(workload.FacebookIO))
	all := macro(s, plainMacro(), s.Repeats(1, 40), cpuHeavy(udf))
	macroCDFs(s, "fig8", all, "bin 9")
	slower := func(bin string) study.Sample { return all.Mean(delay, bin).Over(light.Mean(delay, bin)) }
	s.Row("bin 1: times slower than in the IO-heavy workload", slower("bin 1"))
	s.Row("bin 9: times slower than in the IO-heavy workload", slower("bin 9"))
	most := s.Row("greatest speed-up of a small job, fair over FIFO",
		greatest(all, fifo, naive, "bin 1", "bin 2"))
	s.Row("bins 1 to 3: mean speed-up, fair over FIFO",
		gain(all, fifo, naive, "bin 1", "bin 2", "bin 3"))
	s.Row("bin 9: mean speed-up, fair over FIFO", gain(all, fifo, naive, "bin 9"))
	s.Row("mean effect of delay over naive fair, all jobs", gain(all, naive, delay))
	var gains []study.Sample
	for _, class := range bins(9) {
		gains = append(gains, gain(all, naive, delay, class))
	}
	s.Row("least effect of delay over naive fair in a bin", slices.MinFunc(gains, study.ByMean))
	s.Row("node-local with delay", all[delay].By(study.NodeLocal))
	scheduleRange(s, most)
	functions := study.Sweep("a function of %ds", study.Pick(s, []int{21}, []int{14, 17, 21, 25, 31}),
		func(more *time.Duration, seconds int) { *more = time.Duration(seconds) * time.Second })
	study.Vary(s, s.Extra("load"), 1, udf, functions, func(more time.Duration) []float64 {
		all := macro(s, plainMacro(), s.Repeats(1, 10), cpuHeavy(more))
		return []float64{greatest(all, fifo, naive, "bin 1", "bin 2").Mean(), gain(all, naive, delay).Mean()}
	})
}
