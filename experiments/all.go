package experiments

import (
	"slices"
	"sync"

	"github.com/tarry-mr/tarry/experiments/hammoud12"
	"github.com/tarry-mr/tarry/experiments/own"
	"github.com/tarry-mr/tarry/experiments/pastorelli13"
	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/experiments/zaharia10"
)

// all returns the experiments; the first call reads their texts.
var all = sync.OnceValue(func() []study.Experiment {
	return slices.Concat(zaharia10.All(), pastorelli13.All(), hammoud12.All(), own.All())
})

// All returns the experiments of all packages, in the order of the report.
func All() []study.Experiment { return slices.Clone(all()) }

// Find returns the experiment called name.
func Find(name string) (study.Experiment, bool) {
	for _, e := range all() {
		if e.Name == name {
			return e, true
		}
	}
	return study.Experiment{}, false
}
