package study

import (
	"slices"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator"
)

// NodeLocal returns the percentage of a result's maps that were node-local.
func NodeLocal(r *simulator.Result) float64 {
	return 100 * r.Report.Maps.Share(scheduling.NodeLocal)
}

// RackLocal returns the percentage of a result's maps that were rack-local or nearer.
func RackLocal(r *simulator.Result) float64 {
	return 100 * r.Report.Maps.Share(scheduling.RackLocal)
}

// Makespan returns a result's makespan in seconds.
func Makespan(r *simulator.Result) float64 { return r.Report.MakespanS }

// MeanSojourn returns a result's mean sojourn time in seconds.
func MeanSojourn(r *simulator.Result) float64 { return r.Report.Sojourn.Mean }

// OffRack returns a result's shuffled bytes that left their rack.
func OffRack(r *simulator.Result) float64 { return float64(r.Report.Shuffle.OffRack) }

// WTND returns a result's weighted total network distance: each shuffled byte times 2 within a rack
// and 4 beyond.
func WTND(r *simulator.Result) float64 { return float64(r.Report.Shuffle.Links()) }

// Sojourns returns the sojourn times in seconds, ascending, of the jobs of some classes, or of all
// jobs if no class is given.
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

// Mean returns the mean sojourn time by seed, in seconds, of the jobs of Sojourns under a policy.
func (c Comparison) Mean(policy int, classes ...string) Sample {
	return c.BySeed(func(one Comparison) float64 { return Average(one[policy].Sojourns(classes...)) })
}

// ClassLocality returns the percentage of a class's maps at a level or nearer, 0 without maps.
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

// Local returns ClassLocality by seed.
func (r *Runs) Local(class string, level scheduling.Locality) Sample {
	return Comparison{r}.BySeed(func(one Comparison) float64 { return one[0].ClassLocality(class, level) })
}

// Average returns the mean of numbers, 0 without any.
func Average(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(max(len(x), 1))
}

// Median returns the median of ascending numbers, 0 without any.
func Median(x []float64) float64 {
	if len(x) == 0 {
		return 0
	}
	return x[len(x)/2]
}
