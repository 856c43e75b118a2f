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

// Options are what a person may choose. The zero value is seed 0, one quick-less run.
type Options = study.Options

// Outcome is an experiment with what came out of it.
type Outcome = study.Outcome

// Counts is how many rows there are by kind and verdict.
type Counts = study.Counts

// all reads the texts once.
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

// Write runs the experiments one after the other and writes everything into dir, which is made if
// it is missing; files of the same names are replaced. The progress line of each goes to log. It
// returns the outcomes; an experiment that fails ends the run with its name in the error. All but
// the folders of measured experiments has the same bytes each time.
func Write(
	ctx context.Context, dir string, list []Experiment, o Options, log io.Writer,
) ([]Outcome, error) {
	return study.Write(ctx, dir, list, o, log)
}
