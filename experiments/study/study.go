package study

import (
	"context"
	"fmt"
	"strings"
)

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
	Rows  []*Row
	// Figures are drawn as SVG; their points are written as CSV too.
	Figures []*Figure
	// Tables are shown after the rows and written as CSV; mostly sensitivity runs.
	Tables []*Table
	// Measured says that the numbers come from a clock and differ from run to run. They stay in the
	// experiment's folder; the report only points there.
	Measured bool
	// Notes say what a reader should know: where the paper is silent, why a row differs.
	Notes []string
}

// Study is one run of an experiment: what a person chose, and what has been found so far. The
// function that runs an experiment adds rows, figures and tables to it and checks no errors: what
// fails ends the experiment with its error. It is not safe for concurrent use.
type Study struct {
	Options
	Result
	ctx    context.Context
	filled map[string]string // in the set-up, by name
}

// Context ends when the run is to end.
func (s *Study) Context() context.Context { return s.ctx }

// failure is what Check panics with.
type failure struct{ error }

// Check ends the experiment, as testing.T.FailNow ends a test, if err is not nil. It must be called
// by the goroutine that runs the experiment.
func (s *Study) Check(err error) {
	if err != nil {
		panic(failure{err})
	}
}

// Fill puts values in the place of {name} in the set-up: names and values in turn.
func (s *Study) Fill(pairs ...any) {
	for ; len(pairs) > 0; pairs = pairs[2:] {
		s.filled[pairs[0].(string)] = fmt.Sprint(pairs[1])
	}
}

// Plot adds a figure with a title and labels of its axes; name is that of its files.
func (s *Study) Plot(name, title, x, y string) *Figure {
	f := &Figure{Name: name, Title: title, X: x, Y: y}
	s.Figures = append(s.Figures, f)
	return f
}

// Table adds a table. The first column heads the labels; name is that of its file.
func (s *Study) Table(name, title string, columns ...string) *Table {
	t := &Table{Name: name, Title: title, Columns: columns}
	s.Tables = append(s.Tables, t)
	return t
}

// Extra adds a table that takes runs of its own, unless there are to be none: then it returns nil,
// to which nothing is added.
func (s *Study) Extra(name, title string, columns ...string) *Table {
	if s.NoTables {
		return nil
	}
	return s.Table(name, title, columns...)
}

// run runs an experiment.
func (s *Study) run(body func(*Study)) (err error) {
	defer func() {
		switch f := recover().(type) {
		case nil:
		case failure:
			err = f.error
		default:
			panic(f)
		}
	}()
	body(s)
	return s.fill()
}

// fill puts what is filled in into the set-up. What nothing fills is an error, and so is what
// stands nowhere, lest the set-up say something else than it means to.
func (s *Study) fill() error {
	text := strings.Join(s.Setup, "\n")
	for name, value := range s.filled {
		if !strings.Contains(text, "{"+name+"}") {
			return fmt.Errorf("set-up: {%s} stands nowhere", name)
		}
		text = strings.ReplaceAll(text, "{"+name+"}", value)
	}
	if left := nameInBraces.FindString(text); left != "" {
		return fmt.Errorf("set-up: nothing fills %s", left)
	}
	if len(s.Setup) > 0 {
		s.Setup = strings.Split(text, "\n")
	}
	return nil
}
