package study

import (
	"slices"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator"
)

// NodeLocal is the part of a result's maps that ran beside their data, in per cent.
func NodeLocal(r *simulator.Result) float64 {
	return 100 * r.Report.Maps.Share(scheduling.NodeLocal)
}

// RackLocal is the part of a result's maps in a rack with their data, in per cent.
func RackLocal(r *simulator.Result) float64 {
	return 100 * r.Report.Maps.Share(scheduling.RackLocal)
}

// Makespan is a result's makespan in seconds.
func Makespan(r *simulator.Result) float64 { return r.Report.MakespanS }

// MeanSojourn is a result's mean sojourn time in seconds.
func MeanSojourn(r *simulator.Result) float64 { return r.Report.Sojourn.Mean }

// OffRack is a result's shuffled bytes that left their rack.
func OffRack(r *simulator.Result) float64 { return float64(r.Report.Shuffle.OffRack) }

// WTND is a result's weighted total network distance: each shuffled byte times 2 within a rack and
// 4 beyond.
func WTND(r *simulator.Result) float64 {
	return 2*float64(r.Report.Shuffle.RackLocal) + 4*float64(r.Report.Shuffle.OffRack)
}

// Sojourns gives the sojourn times of the jobs of some classes, all if none is named, in seconds
// and ascending.
func (r *Runs) Sojourns(classes ...string) []float64 {
	var all []float64
	for _, one := range r.Results {
		for i := range one.Jobs {
			if j := &one.Jobs[i]; j.Done && (len(classes) == 0 || slices.Contains(classes, j.Class)) {
				all = append(all, j.Sojourn().Seconds())
			}
		}
	}
	slices.Sort(all)
	return all
}

// Mean is the mean of Sojourns under each seed.
func (c Comparison) Mean(policy int, classes ...string) Sample {
	return c.BySeed(func(one Comparison) float64 { return Average(one[policy].Sojourns(classes...)) })
}

// ClassLocality is the part of a class's maps at a level or nearer, in per cent; 0 if it has none.
func (r *Runs) ClassLocality(class string, level scheduling.Locality) float64 {
	var all simulator.MapPlaces
	for _, one := range r.Results {
		for i := range one.Jobs {
			if j := &one.Jobs[i]; j.Class == class {
				all.Add(j.Maps)
			}
		}
	}
	if all == (simulator.MapPlaces{}) {
		return 0
	}
	return 100 * all.Share(level)
}

// Local is ClassLocality under each seed.
func (r *Runs) Local(class string, level scheduling.Locality) Sample {
	return Comparison{r}.BySeed(func(one Comparison) float64 { return one[0].ClassLocality(class, level) })
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
