package experiments

import "github.com/tarry-mr/tarry/experiments/internal/report"

// Page is a document in one file, for commands that have results of their own to show.
type Page = report.Page

// Section is a part of a Page.
type Section = report.Section

// Grid is a table of texts in a Section.
type Grid = report.Grid

// Figure is a picture in a Section.
type Figure = report.Figure

// Series is one line or group of bars in a Figure.
type Series = report.Series

// Sample is a quantity with a value for each seed.
type Sample = report.Sample

// BySeed is a quantity that each seed gave a value of.
func BySeed(values []float64) Sample { return report.BySeed(values) }
