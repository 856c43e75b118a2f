// Package own answers questions that no paper answers. Each experiment is a file with its text.
package own

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
		l.Experiment("orders", orders), l.Experiment("rivals", rivals),
		l.Experiment("hot_spot", hotSpot), l.Experiment("hot_files", hotFiles),
		l.Experiment("cache", cache), l.Experiment("offers", frameworks), l.Experiment("leen", leen),
		l.Experiment("stragglers", stragglers), l.Experiment("wait_trap", waitTrap),
		l.Experiment("patience", patience), l.Experiment("facebook_trace", facebookTrace),
		l.Experiment("coflows", coflows), l.Experiment("fair_features", fairFeatures),
		l.Experiment("capacity_queues", capacityQueues), l.Experiment("failures", failures),
		l.Experiment("validation", validation),
	}
}
