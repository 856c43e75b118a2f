package setup

import (
	"slices"

	"github.com/tarry-mr/tarry/experiments/internal/report"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator"
)

// Each gives a figure of a contest by seed.
func Each(c *simulator.Contest, figure func(*simulator.Result) float64) report.Sample {
	values := make([]float64, len(c.Results))
	for i, r := range c.Results {
		values[i] = figure(r)
	}
	return report.BySeed(values)
}

// Seeds works out a figure of several contests for each seed apart, under which all policies met
// the same jobs, blocks and task times.
func Seeds(
	all []simulator.Contest, figure func(one []simulator.Contest) float64,
) report.Sample {
	values := make([]float64, len(all[0].Results))
	for n := range values {
		one := make([]simulator.Contest, len(all))
		for i, c := range all {
			one[i] = simulator.Contest{Contender: c.Contender, Results: c.Results[n : n+1]}
		}
		values[n] = figure(one)
	}
	return report.BySeed(values)
}

// NodeLocal is the part of a result's maps that ran beside their data, in per cent.
func NodeLocal(r *simulator.Result) float64 {
	return 100 * r.Report.Maps.Share(scheduling.NodeLocal)
}

// Makespan is a result's makespan in seconds.
func Makespan(r *simulator.Result) float64 { return r.Report.MakespanS }

// OffRack is a result's shuffled bytes that left their rack.
func OffRack(r *simulator.Result) float64 { return float64(r.Report.Shuffle.OffRack) }

// RackLocal is the part of a result's maps in a rack with their data, in per cent.
func RackLocal(r *simulator.Result) float64 {
	return 100 * r.Report.Maps.Share(scheduling.RackLocal)
}

// MeanSojourn is a result's mean sojourn time in seconds.
func MeanSojourn(r *simulator.Result) float64 { return r.Report.Sojourn.Mean }

// Sojourns gives the sojourn times of the jobs of some classes, in seconds, ascending.
func Sojourns(c *simulator.Contest, classes ...string) []float64 {
	var all []float64
	for _, r := range c.Results {
		for i := range r.Jobs {
			if j := &r.Jobs[i]; j.Done && (len(classes) == 0 || slices.Contains(classes, j.Class)) {
				all = append(all, j.Sojourn().Seconds())
			}
		}
	}
	slices.Sort(all)
	return all
}

// ClassLocality is the part of a class's maps at a level or nearer, in per cent; 0 if it has none.
func ClassLocality(c *simulator.Contest, class string, level scheduling.Locality) float64 {
	var all simulator.MapPlaces
	for _, r := range c.Results {
		for i := range r.Jobs {
			if j := &r.Jobs[i]; j.Class == class {
				all.NodeLocal += j.Maps.NodeLocal
				all.RackLocal += j.Maps.RackLocal
				all.OffRack += j.Maps.OffRack
			}
		}
	}
	if all == (simulator.MapPlaces{}) {
		return 0
	}
	return 100 * all.Share(level)
}

// Local gives the part of a class's maps at a level or nearer by seed, in per cent.
func Local(c *simulator.Contest, class string, level scheduling.Locality) report.Sample {
	return Seeds([]simulator.Contest{*c}, func(one []simulator.Contest) float64 {
		return ClassLocality(&one[0], class, level)
	})
}

// Average is the mean of numbers, 0 of none.
func Average(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(max(len(x), 1))
}

// Median is the median of ascending numbers, 0 of none.
func Median(x []float64) float64 {
	if len(x) == 0 {
		return 0
	}
	return x[len(x)/2]
}

// Distribution is the empirical distribution function of ascending numbers as a series of at most
// 200 points.
func Distribution(name string, x []float64) report.Series {
	s := report.Series{Name: name}
	step := max(1, len(x)/200)
	for i := 0; i < len(x); i += step {
		s.X, s.Y = append(s.X, x[i]), append(s.Y, float64(i+1)/float64(len(x)))
	}
	return s
}

// WTND is a result's weighted total network distance: each shuffled byte times 2 within a rack and
// 4 beyond.
func WTND(r *simulator.Result) float64 {
	return 2*float64(r.Report.Shuffle.RackLocal) + 4*float64(r.Report.Shuffle.OffRack)
}
