package setup

import (
	"embed"

	"github.com/tarry-mr/tarry/experiments/study"
)

//go:embed shared.md
var texts embed.FS

// Sentences returns the sentences on set-ups that texts of several papers share, by name.
func Sentences() map[string][]string { return study.SharedItems(texts) }
