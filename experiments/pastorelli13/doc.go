// Package pastorelli13 reproduces the figures of [Pastorelli13], "HFSP: Size-based Scheduling for
// Hadoop". Each experiment is a file with its text; several share dataset.go.
package pastorelli13

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
		l.Experiment("fig1", fig1), l.Experiment("fig3", fig3), l.Experiment("fig5", fig5),
		l.Experiment("fig6", fig6), l.Experiment("fig7", fig7),
		l.Experiment("pathologies", pathologies),
	}
}
