package study

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// expectation is a line of the table "Rows" of a text: a Row without our value.
type expectation struct {
	Row
	fits     *regexp.Regexp // matches the quantities that the line is about
	measured bool           // the experiment has added such a row
}

// Row adds a row with our value of a quantity. The first line of the text's table "Rows" that fits
// the quantity gives unit, kind, bounds and claim; without such a line the experiment fails.
func (s *Study) Row(quantity string, ours Sample) *Row {
	for i := range s.announced.rows {
		if e := &s.announced.rows[i]; e.fits.MatchString(quantity) {
			e.measured = true
			r := e.Row
			r.Quantity, r.Ours = quantity, ours
			s.Rows = append(s.Rows, &r)
			return &r
		}
	}
	s.Check(fmt.Errorf("rows: %q does not stand in the table", quantity))
	return nil
}

// expectations reads a table of rows: quantity, unit, kind, what is expected, claim.
func expectations(table []string) (list []expectation, err error) {
	lines, err := cellsOf(table, 5)
	if err != nil {
		return nil, err
	}
	for _, cells := range lines {
		e := expectation{Row: Row{Quantity: cells[0], Unit: cells[1], Claim: cells[4], Published: math.NaN()}}
		kind := slices.Index(kindNames[:], cells[2])
		if kind < 0 {
			return nil, fmt.Errorf("%s: %q is not a kind", e.Quantity, cells[2])
		}
		e.Kind = Kind(kind)
		if err := e.read(cells[3]); err != nil {
			return nil, fmt.Errorf("%s: %w", e.Quantity, err)
		}
		name := strings.ReplaceAll(regexp.QuoteMeta(e.Quantity), `\*`, ".*")
		e.fits = regexp.MustCompile("^" + name + "$")
		list = append(list, e)
	}
	return list, nil
}

// Expect sets Published to number, from which our value may differ by at most `within`.
func (r *Row) Expect(number, within float64) {
	r.Published, r.Bounds = number, Bounds{Low: number - within, High: number + within}
}

// read sets Published and Bounds from the text of a cell "expected"; see Text for its forms.
func (r *Row) read(text string) error {
	var numbers []float64
	var words []string
	for field := range strings.FieldsSeq(text) {
		if v, err := strconv.ParseFloat(field, 64); err == nil {
			numbers = append(numbers, v)
			field = "N"
		}
		words = append(words, field)
	}
	form := strings.Join(words, " ")
	claim, claimed := claims[form]
	switch {
	case form == "computed", form == "" && r.Kind == Context:
	case form == "N" && r.Kind == Context:
		r.Published = numbers[0]
	case r.Kind == Printed && (form == "N" || form == "N to N"):
		return r.print(numbers[0], numbers[len(numbers)-1])
	case form == "N ± N":
		r.Expect(numbers[0], numbers[1])
	case claimed:
		r.Bounds = claim(numbers...)
	default:
		return fmt.Errorf("cannot expect %q of a row that is %v", text, r.Kind)
	}
	return nil
}

var inf = math.Inf(1)

// claims has the bounds of each form of a claim, by the numbers in it.
var claims = map[string]func(n ...float64) Bounds{
	"N to N":      func(n ...float64) Bounds { return Bounds{n[0], n[1], true} },
	"> N":         func(n ...float64) Bounds { return Bounds{n[0], inf, true} },
	"< N":         func(n ...float64) Bounds { return Bounds{-inf, n[0], true} },
	"≥ N":         func(n ...float64) Bounds { return Bounds{n[0], inf, false} },
	"≤ N":         func(n ...float64) Bounds { return Bounds{-inf, n[0], false} },
	"near N":      func(n ...float64) Bounds { return Bounds{0.75 * n[0], 1.25 * n[0], true} },
	"alike":       func(...float64) Bounds { return Bounds{0.9, 1.1, true} },
	"significant": func(...float64) Bounds { return Bounds{1.1, inf, true} },
	"harmless":    func(...float64) Bounds { return Bounds{0.98, inf, true} },
}

// print sets Published and Bounds for a number, or a range, that a paper prints. The bounds must
// exclude the opposite: 1 or less for a gain, 0 or less for any other number.
func (r *Row) print(low, high float64) error {
	from, to := low-tolerance(r.Unit, low), high+tolerance(r.Unit, high)
	gain := r.Unit == "×"
	if gain && from <= 1 && to >= 1 || !gain && low > 0 && from <= 0 {
		return fmt.Errorf("from %v to %v the opposite would hold", from, to)
	}
	r.Published, r.Bounds = low, Bounds{Low: from, High: to}
	return nil
}

// announced holds the rows, figures and tables that the text of an experiment lists, the latter two
// by name. show removes a figure or a table when the experiment adds it.
type announced struct {
	rows  []expectation
	shown map[string][]string
}

// announcedIn parses the three Markdown tables of a text: Rows, Figures and Tables.
func announcedIn(lists map[string][]string) (a announced, err error) {
	a.shown = map[string][]string{}
	for title, n := range map[string]int{"Figures": figureCells, "Tables": tableCells} {
		lines, err := cellsOf(lists[title], n)
		if err != nil {
			return a, err
		}
		for _, cells := range lines {
			a.shown[cells[0]] = cells
		}
	}
	a.rows, err = expectations(lists["Rows"])
	return a, err
}

// The numbers of cells in a line of the text's Figures, and of its Tables.
const figureCells, tableCells = 4, 3

// cellsOf returns the cells of each line of a Markdown table after its head, n per line.
func cellsOf(table []string, n int) (lines [][]string, err error) {
	for _, line := range table[min(2, len(table)):] {
		cells := strings.Split(line, "|")
		if len(cells) != n+2 { // with the empty ones at both ends
			return nil, fmt.Errorf("%s: %d cells, want %d", line, len(cells)-2, n)
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		lines = append(lines, cells[1:n+1])
	}
	return lines, nil
}

// show returns the n cells that the text has for a figure or table which the experiment adds. The
// experiment fails if the text has none, or if it adds the figure or table twice.
func (s *Study) show(name string, n int) []string {
	cells := s.announced.shown[name]
	if len(cells) != n {
		s.Check(fmt.Errorf("the text has no figure or table %q, or it is shown twice", name))
	}
	delete(s.announced.shown, name)
	return cells
}

// missing returns an error if a full run has not added every row, figure and table of the text.
func (s *Study) missing() error {
	if s.Quick || s.NoTables {
		return nil
	}
	for i := range s.announced.rows {
		if e := &s.announced.rows[i]; !e.measured {
			return fmt.Errorf("rows: nothing measures %q", e.Quantity)
		}
	}
	for name := range s.announced.shown {
		return fmt.Errorf("nothing shows the figure or table %q", name)
	}
	return nil
}
