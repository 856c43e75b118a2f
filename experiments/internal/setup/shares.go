package setup

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// Endless is the number of maps of a job that always has maps in an experiment on shares.
const Endless = 100_000

// Timeline contains how many map slots each job of one run held, sampled at equal intervals.
type Timeline struct {
	Every time.Duration // between samples
	Held  [][]float64   // map slots by job, then by sample
	Names []string      // by job: with its pool
}

// NewTimeline returns the timeline of a run with at least two samples.
func NewTimeline(r *simulator.Result) Timeline {
	t := Timeline{Every: r.Samples[1].At - r.Samples[0].At}
	for _, j := range r.Jobs {
		t.Held = append(t.Held, make([]float64, len(r.Samples)))
		t.Names = append(t.Names, fmt.Sprintf("%s (%s)", j.Name, j.Pool))
	}
	for n, s := range r.Samples {
		for _, j := range s.Jobs {
			t.Held[j.Job][n] = float64(j.Slots[0]) // of maps
		}
	}
	return t
}

// Parts returns the timeline with percentages of the slots that all jobs hold together.
func (t Timeline) Parts() Timeline {
	parts, sums := Timeline{Every: t.Every, Names: t.Names}, make([]float64, len(t.Held[0]))
	for _, held := range t.Held {
		for n, slots := range held {
			sums[n] += slots
		}
	}
	for _, held := range t.Held {
		part := make([]float64, len(held))
		for n, slots := range held {
			part[n] = 100 * slots / max(sums[n], 1)
		}
		parts.Held = append(parts.Held, part)
	}
	return parts
}

// Draw adds the timeline to a figure, with an area for each job.
func (t Timeline) Draw(f *study.Figure) {
	f.Stacked = true
	for i, held := range t.Held {
		for n, slots := range held {
			f.Add(t.Names[i], (time.Duration(n) * t.Every).Seconds(), slots)
		}
	}
}

// Between returns the slots that jobs hold together in each sample from a time to another one, both
// since the start.
func (t Timeline) Between(from, to time.Duration, jobs []int) []float64 {
	first, last := int(from/t.Every), int(to/t.Every)
	sums := make([]float64, 0, last-first)
	for n := first; n < last && n < len(t.Held[jobs[0]]); n++ {
		sum := 0.0
		for _, i := range jobs {
			sum += t.Held[i][n]
		}
		sums = append(sums, sum)
	}
	return sums
}

// Mean returns the mean number of slots that jobs hold together from one time to another.
func (t Timeline) Mean(from, to time.Duration, jobs ...int) float64 {
	return study.Average(t.Between(from, to, jobs))
}

// Reach returns how many seconds after a time jobs first hold that number of slots together, or the
// rest of the run if they never do.
func (t Timeline) Reach(from time.Duration, slots float64, jobs ...int) float64 {
	held := t.Between(from, time.Duration(len(t.Held[0]))*t.Every, jobs)
	for n, x := range held {
		if x >= slots {
			return (time.Duration(n) * t.Every).Seconds()
		}
	}
	return (time.Duration(len(held)) * t.Every).Seconds()
}

// Timelines returns a quantity of the timeline of each run, a value per seed.
func Timelines(r *study.Runs, figure func(Timeline) float64) study.Sample {
	return r.By(func(one *simulator.Result) float64 { return figure(NewTimeline(one)) })
}

// Held returns the mean number of slots that jobs hold together from one time to another.
func Held(r *study.Runs, from, to time.Duration, jobs ...int) study.Sample {
	return Timelines(r, func(t Timeline) float64 { return t.Mean(from, to, jobs...) })
}

// Reached returns Timeline.Reach of each run, a value per seed.
func Reached(r *study.Runs, from time.Duration, slots float64, jobs ...int) study.Sample {
	return Timelines(r, func(t Timeline) float64 { return t.Reach(from, slots, jobs...) })
}

// Tenants returns a workload of jobs without data of their own that share a cluster. A job without
// a number of maps is Endless.
func Tenants(list ...workload.Job) workload.Workload {
	w := workload.Workload{Name: "tenants", Jobs: slices.Clone(list)}
	for i := range w.Jobs {
		j := &w.Jobs[i]
		j.Name, j.Maps, j.NoLocation = fmt.Sprintf("job %d", i+1), cmp.Or(j.Maps, Endless), true
		j.Map.Setup = -1
	}
	return w
}
