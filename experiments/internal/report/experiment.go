package report

import (
	"context"
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
	// NoTables leaves out the tables that take runs of their own, which no row needs.
	NoTables bool
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
	// Findings are what a reader should see first, one sentence each: for instance that ours is the
	// opposite of what is published.
	Findings []string
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

// AddRows works out rows, part by part, and appends them.
func (r *Result) AddRows(
	ctx context.Context, o Options, parts ...func(context.Context, Options) ([]Row, error),
) error {
	for _, part := range parts {
		rows, err := part(ctx, o)
		if err != nil {
			return err
		}
		r.Add(rows...)
	}
	return nil
}

// AddTables works out tables that take runs of their own and appends them, unless o wants none.
func (r *Result) AddTables(
	ctx context.Context, o Options, tables ...func(context.Context, Options) (Table, error),
) error {
	if o.NoTables {
		return nil
	}
	for _, table := range tables {
		t, err := table(ctx, o)
		if err != nil {
			return err
		}
		r.Tables = append(r.Tables, t)
	}
	return nil
}

// Add appends rows.
func (r *Result) Add(rows ...Row) { r.Rows = append(r.Rows, rows...) }
