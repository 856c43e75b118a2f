package zaharia10

import (
	"fmt"
	"slices"
	"time"

	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// udf is the additional computing time of a map of the CPU-heavy jobs.
const udf = 21 * time.Second

// cpuHeavy is the load of [Zaharia10 §5.1.2]: the same schedules, each map longer by more.
func cpuHeavy(more time.Duration) study.Load {
	return study.Changed(overlapping(workload.FacebookIO), func(j *workload.Job) { j.Map.Time += more })
}

// fig8 is [Zaharia10 Fig 8, §5.1.2]: the CPU-heavy workload.
func fig8(s *study.Study) {
	light := macro(s, plainMacro(), s.Repeats(1, 40), overlapping(workload.FacebookIO))
	all := macro(s, plainMacro(), s.Repeats(1, 40), cpuHeavy(udf))
	macroCDFs(s, "fig8", all, "bin 9")
	slower := func(bin string) study.Sample { return all.Mean(delay, bin).Over(light.Mean(delay, bin)) }
	s.Printed("bin 1: times slower than in the IO-heavy workload", "×", 2, study.Gain, slower("bin 1")).
		Saying("2 to 7 times, less for small jobs")
	s.Known("bin 9: times slower than in the IO-heavy workload", "×", 7, slower("bin 9")).
		Saying("the function is fitted to it")
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
	if t == nil {
		return
	}
	for _, seconds := range study.Pick(s, []int{21}, []int{14, 17, 21, 25, 31}) {
		more := time.Duration(seconds) * time.Second
		all := macro(s, plainMacro(), s.Repeats(1, 10), cpuHeavy(more))
		t.Add(fmt.Sprintf("a function of %v", more), greatest(all, fifo, naive, "bin 1", "bin 2").Mean(),
			gain(all, naive, delay).Mean())
	}
}
