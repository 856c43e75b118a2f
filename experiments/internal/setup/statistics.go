package setup

import (
	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator"
)

// Names of package study, until all experiments are studies.
var (
	NodeLocal   = study.NodeLocal
	Makespan    = study.Makespan
	OffRack     = study.OffRack
	RackLocal   = study.RackLocal
	MeanSojourn = study.MeanSojourn
	WTND        = study.WTND
	Average     = study.Average
	Median      = study.Median
)

// Each gives a figure of a contest by seed.
func Each(c *simulator.Contest, figure func(*simulator.Result) float64) study.Sample {
	return runs(c).By(figure)
}

func runs(c *simulator.Contest) *study.Runs { return &study.Runs{Name: c.Name, Results: c.Results} }

// Seeds works out a figure of several contests for each seed apart, under which all policies met
// the same jobs, blocks and task times.
func Seeds(
	all []simulator.Contest, figure func(one []simulator.Contest) float64,
) study.Sample {
	values := make([]float64, len(all[0].Results))
	for n := range values {
		one := make([]simulator.Contest, len(all))
		for i, c := range all {
			one[i] = simulator.Contest{Contender: c.Contender, Results: c.Results[n : n+1]}
		}
		values[n] = figure(one)
	}
	return study.BySeed(values)
}

// Sojourns is that of package study.
func Sojourns(c *simulator.Contest, classes ...string) []float64 { return runs(c).Sojourns(classes...) }

// ClassLocality is that of package study.
func ClassLocality(c *simulator.Contest, class string, level scheduling.Locality) float64 {
	return runs(c).ClassLocality(class, level)
}

// Local is that of package study.
func Local(c *simulator.Contest, class string, level scheduling.Locality) study.Sample {
	return runs(c).Local(class, level)
}

// Distribution is that of package study.
func Distribution(name string, x []float64) *study.Series {
	var f study.Figure
	f.Distribution(name, x)
	return f.Series[0]
}
