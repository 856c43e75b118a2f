package setup

import (
	"embed"

	"github.com/tarry-mr/tarry/experiments/study"
)

//go:embed shared.md
var texts embed.FS

// Sentences returns, by name, the sentences that describe set-ups in the texts of several papers.
func Sentences() map[string][]string { return study.SharedItems(texts) }
