// Package hammoud12 reproduces the figures and the evaluation of [Hammoud12], "Center-of-Gravity
// Reduce Task Scheduling to Lower MapReduce Network Traffic". Each experiment is a file with its
// text.
package hammoud12

import (
	"embed"

	"github.com/tarry-mr/tarry/experiments/internal/setup"
	"github.com/tarry-mr/tarry/experiments/study"
)

//go:embed *.md
var texts embed.FS

// All returns the experiments in the order of the report.
func All() []study.Experiment {
	l := study.NewLibrary(texts, setup.Sentences)
	return []study.Experiment{
		l.Experiment("fig5", fig5), l.Experiment("surface", surface),
		l.Experiment("runtime", runtime), l.Experiment("ablation", ablation),
	}
}
