package experiments

import (
	"context"
	"io"
	"slices"
	"sync"

	"github.com/tarry-mr/tarry/experiments/hammoud12"
	"github.com/tarry-mr/tarry/experiments/own"
	"github.com/tarry-mr/tarry/experiments/pastorelli13"
	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/experiments/zaharia10"
)

// Experiment is one published table or figure, or a question of our own.
type Experiment = study.Experiment

// Options are the options of a run. The zero value is a full run from seed 0.
type Options = study.Options

// Outcome is an experiment with its result.
type Outcome = study.Outcome

// Counts is the number of an experiment's rows (compared quantities) by kind and verdict.
type Counts = study.Counts

// all returns the experiments, whose texts it reads once.
var all = sync.OnceValue(func() []Experiment {
	return slices.Concat(zaharia10.All(), pastorelli13.All(), hammoud12.All(), own.All())
})

// All returns the experiments in the order of the report.
func All() []Experiment { return slices.Clone(all()) }

// Find returns the experiment called name.
func Find(name string) (Experiment, bool) {
	for _, e := range all() {
		if e.Name == name {
			return e, true
		}
	}
	return Experiment{}, false
}

// Write runs the experiments as study.Write does. It writes the same bytes each time, except for
// the folders of measured experiments.
func Write(
	ctx context.Context, dir string, list []Experiment, o Options, log io.Writer,
) ([]Outcome, error) {
	return study.Write(ctx, dir, list, o, log)
}
