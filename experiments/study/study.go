package study

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Options are the options of a run. The zero value is a full run from seed 0.
type Options struct {
	// Seed is the first seed; run i of a repetition uses Seed + i.
	Seed uint64
	// Repeat is the number of seeds of an experiment with randomness; 0 uses the experiment's own.
	Repeat int
	// Quick asks for a smaller version with the same shape, for tests and CI.
	Quick bool
	// NoTables skips the tables that need additional runs. No row needs them.
	NoTables bool
}

// Repeats returns the number of seeds to run: Repeat if set, otherwise quick or full.
func (o Options) Repeats(quick, full int) int {
	switch {
	case o.Repeat > 0:
		return o.Repeat
	case o.Quick:
		return quick
	}
	return full
}

// Result is the result of an experiment.
type Result struct {
	// Findings are the most important results, a sentence each; for instance that our result is the
	// opposite of the published one.
	Findings []string
	// Setup lists every modelling choice, a sentence each.
	Setup []string
	Rows  []*Row
	// Figures are written as SVG, and their points as CSV.
	Figures []*Figure
	// Tables follow the rows, and are written as CSV too. Most show sensitivity runs.
	Tables []*Table
	// Measured means that the numbers come from a clock and differ from run to run. report.html
	// omits them.
	Measured bool
	// Notes say, for instance, what the paper does not give and why a row differs.
	Notes []string
}

// Study is one run of an experiment: its options, and its results so far. The function of the
// experiment adds rows, figures and tables. It checks no errors: a failure ends the experiment with
// its error. A Study is not safe for concurrent use.
type Study struct {
	Options
	Result
	ctx       context.Context
	filled    map[string]string           // values for the set-up, by name
	list      func(title string) []string // returns the items that the text lists under a title
	announced announced                   // what the text lists and the experiment has not added yet
}

// Context is canceled when the run must end.
func (s *Study) Context() context.Context { return s.ctx }

// failure is the panic value of Check.
type failure struct{ error }

// Check ends the experiment if err is not nil, as testing.T.FailNow ends a test. Only the goroutine
// that runs the experiment may call it.
func (s *Study) Check(err error) {
	if err != nil {
		panic(failure{err})
	}
}

// Fill sets values that replace {name} in the text's set-up. pairs are names and values in turn.
func (s *Study) Fill(pairs ...any) {
	for ; len(pairs) > 0; pairs = pairs[2:] {
		s.filled[pairs[0].(string)] = fmt.Sprint(pairs[1])
	}
}

// Open puts the items that the text lists under title, such as "Set-up with the trace", at the
// beginning of the set-up.
func (s *Study) Open(title string) {
	items := s.list(title)
	if len(items) == 0 {
		s.Check(fmt.Errorf("the text has no list %q", title))
	}
	s.Setup = slices.Concat(items, s.Setup)
}

// Plot adds the figure that the text lists under name, without points; its files have that name.
func (s *Study) Plot(name string) *Figure {
	cells := s.show(name, figureCells)
	f := &Figure{Name: name, Title: cells[1], X: cells[2], Y: cells[3]}
	s.Figures = append(s.Figures, f)
	return f
}

// Table adds the table that the text lists under name. Its first column has the lines' labels.
func (s *Study) Table(name string) *Table {
	cells := s.show(name, tableCells)
	t := &Table{Name: name, Title: cells[1], Columns: strings.Split(cells[2], "; ")}
	s.Tables = append(s.Tables, t)
	return t
}

// Extra is like Table for a table that needs additional runs. With NoTables it returns nil, which
// Table.Add ignores.
func (s *Study) Extra(name string) *Table {
	if s.NoTables {
		return nil
	}
	return s.Table(name)
}

// run runs the function of an experiment; the error is that of Check, fill or missing.
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
	return errors.Join(s.fill(), s.missing())
}

// fill inserts the values into the set-up. A name without a value is an error, and so is a value
// whose name the set-up does not contain.
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
