// Package zaharia10 reproduces the tables and figures of [Zaharia10], "Delay Scheduling: A Simple
// Technique for Achieving Locality and Fairness in Cluster Scheduling". Each experiment is a file
// with its text; several share macro.go.
package zaharia10

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
		l.Experiment("fig2", fig2), l.Experiment("fig3", fig3), l.Experiment("slots", slots),
		l.Experiment("reassign", reassign), l.Experiment("long_tasks", longTasks),
		l.Experiment("fig4", fig4), l.Experiment("formulas", formulas), l.Experiment("fig5", fig5),
		l.Experiment("fig8", fig8), l.Experiment("fig9", fig9), l.Experiment("fig11", fig11),
		l.Experiment("table4", table4), l.Experiment("fig13", fig13), l.Experiment("fig15", fig15),
		l.Experiment("overhead", overhead),
	}
}
