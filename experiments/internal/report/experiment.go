package report

import (
	"context"
	"math"
)

// Experiment is one published table or figure, or a question of our own.
type Experiment struct {
	Name   string // as typed: letters, digits and dashes
	Title  string // one line for people
	Source string // the paper and the place in it; "ours" for our own questions
	Run    func(ctx context.Context, o Options) (*Result, error)
}

// Options are what a person may choose. The zero value is seed 0, one quick-less run.
type Options struct {
	// Seed is the first seed; run i of a repetition uses Seed + i.
	Seed uint64
	// Repeat is how many seeds an experiment with chance in it runs; 0 leaves the choice to the
	// experiment.
	Repeat int
	// Quick asks for a smaller version with the same shape, for tests and CI.
	Quick bool
}

// Repeats is the number of seeds to run: what was asked for, else quick or full.
func (o Options) Repeats(quick, full int) int {
	switch {
	case o.Repeat > 0:
		return o.Repeat
	case o.Quick:
		return quick
	}
	return full
}

// Result is what an experiment found.
type Result struct {
	// Setup names every modelling choice, one sentence each, in the order of reading.
	Setup []string
	Rows  []Row
	// Figures are drawn as SVG and PNG; their points are written as CSV too.
	Figures []Figure
	// Tables are shown after the rows and written as CSV; mostly sensitivity runs.
	Tables []Table
	// Measured says that the numbers come from a clock and differ from run to run. They stay in the
	// experiment's folder; the report only points there.
	Measured bool
	// Notes say what a reader should know: where the paper is silent, why a row differs.
	Notes []string
}

// Add appends rows.
func (r *Result) Add(rows ...Row) { r.Rows = append(r.Rows, rows...) }

// Row is one quantity, published beside ours.
type Row struct {
	Quantity string
	Unit     string // empty for a pure number
	// Published is the paper's number, NaN if it has none (the claim is then in Claim).
	Published float64
	// Claim is what the paper says in words, shown beside the number.
	Claim string
	Ours  float64
	Band  Band
}

// Published is a row with a number of the paper.
func Published(quantity, unit string, published, ours float64, band Band) Row {
	return Row{Quantity: quantity, Unit: unit, Published: published, Ours: ours, Band: band}
}

// Claimed is a row of which the paper says something in words, or nothing.
func Claimed(quantity, unit, claim string, ours float64, band Band) Row {
	return Row{
		Quantity: quantity, Unit: unit, Published: math.NaN(), Claim: claim, Ours: ours, Band: band,
	}
}

// Shown is a row that is context only, and of which the paper says nothing.
func Shown(quantity, unit string, ours float64) Row {
	return Claimed(quantity, unit, "", ours, Context())
}

// Saying returns the row with what the paper says in words.
func (r Row) Saying(claim string) Row {
	r.Claim = claim
	return r
}

// Band says when a row holds: Low <= Ours <= High. A band of NaNs makes the row context only.
type Band struct{ Low, High float64 }

// Context is the band of a row that is shown and not judged.
func Context() Band { return Band{math.NaN(), math.NaN()} }

// Within is the band of numbers at most d away from the published one.
func Within(published, d float64) Band { return Band{published - d, published + d} }

// AtLeast is the band of numbers not below low.
func AtLeast(low float64) Band { return Band{low, math.Inf(1)} }

// AtMost is the band of numbers not above high.
func AtMost(high float64) Band { return Band{math.Inf(-1), high} }

// Verdict is the outcome of a row.
type Verdict string

// The verdicts.
const (
	Holds       Verdict = "holds"
	Differs     Verdict = "differs"
	ContextOnly Verdict = "context"
)

// Verdict judges the row by its band. A number that could not be measured (NaN) differs.
func (r Row) Verdict() Verdict {
	switch {
	case math.IsNaN(r.Band.Low) && math.IsNaN(r.Band.High):
		return ContextOnly
	case r.Ours >= r.Band.Low && r.Ours <= r.Band.High:
		return Holds
	}
	return Differs
}

// Counts returns how many rows hold and how many differ.
func (r *Result) Counts() (holds, differs int) {
	for _, row := range r.Rows {
		switch row.Verdict() {
		case Holds:
			holds++
		case Differs:
			differs++
		case ContextOnly:
		}
	}
	return holds, differs
}
