package study

import (
	"bytes"
	_ "embed" // page.html, result.tmpl
	"fmt"
	"html/template"
	"math"
	"strings"
	text "text/template"
)

//go:embed page.html
var pageHTML string

//go:embed result.tmpl
var resultText string

// pageView is the data of the page's template. The page contains its pictures and fetches nothing.
type pageView struct {
	Title    string
	Options  Options
	Counts   Counts
	Sections []Outcome // that are not measured
}

// pageTable is a table of the page; a table without lines has no head.
type pageTable struct {
	Head  []string
	Lines [][]string
}

// pageList is a title and the sentences listed below it.
type pageList struct {
	Title string
	Lines []string
}

// pageOf returns report.html, with all outcomes but measured ones. Equal outcomes give equal bytes.
func pageOf(done []Outcome, o Options) ([]byte, error) {
	page := template.Must(template.New("page").Funcs(functions(o)).Parse(pageHTML))
	v := pageView{Title: "Published figures beside ours", Options: o}
	for _, d := range done {
		if !d.Result.Measured {
			v.Counts.Add(d.Result.Counts())
			v.Sections = append(v.Sections, d)
		}
	}
	var out bytes.Buffer
	err := page.Execute(&out, &v)
	return out.Bytes(), err
}

// resultOf returns result.md of an outcome.
func resultOf(d Outcome, o Options) ([]byte, error) {
	page := text.Must(text.New("result").Funcs(functions(o)).Parse(resultText))
	var out bytes.Buffer
	err := page.Execute(&out, struct {
		Outcome
		Quick bool
	}{d, o.Quick})
	return out.Bytes(), err
}

// functions returns the functions that the templates of the page and of a result call.
func functions(o Options) template.FuncMap {
	return template.FuncMap{
		"cell":    func(cell string) string { return strings.ReplaceAll(cell, "|", "\\|") },
		"kinds":   func() []Kind { return []Kind{Printed, Said, Formula, Own} },
		"class":   class,
		"command": func(name string) string { return command(name, o) },
		"list":    func(title string, lines []string) pageList { return pageList{title, lines} },
		"rows":    func(r *Result) pageTable { return pageTable{Head: rowHead, Lines: r.cells()} },
		"svg": func(f *Figure) (template.HTML, error) { // as an element of the page
			svg, err := f.svg()
			return template.HTML(svg[max(0, bytes.Index(svg, []byte("<svg"))):]), err //nolint:gosec // its texts are escaped
		},
		"table": func(t *Table) pageTable { return pageTable{Head: t.Columns, Lines: t.cells(tableNumber)} },
	}
}

// class returns the CSS class of a verdict, or "" for other text.
func class(text string) string {
	for _, name := range []string{"holds", "differs", "cannot"} {
		if strings.HasPrefix(text, name) {
			return name
		}
	}
	return ""
}

// tableNumber formats a number of a table, NaN as a dash.
func tableNumber(v float64) string {
	if math.IsNaN(v) {
		return "–"
	}
	return Number(math.Round(v*100) / 100)
}

// command returns the command line that reproduces an experiment's outcome. It writes to a folder
// named after the experiment, so that the page does not depend on the folder of this run.
func command(name string, o Options) string {
	line := "tarry experiment " + name + " -o " + name
	if o.Quick {
		line += " --quick"
	}
	if o.Seed != 0 {
		line += fmt.Sprintf(" --seed %d", o.Seed)
	}
	if o.Repeat != 0 {
		line += fmt.Sprintf(" --repeat %d", o.Repeat)
	}
	if o.NoTables {
		line += " --no-tables"
	}
	return line
}

// Counts is the number of an experiment's rows (compared quantities) by kind and verdict.
type Counts [kinds][verdicts]int

// Counts counts the rows.
func (r *Result) Counts() (c Counts) {
	for _, row := range r.Rows {
		c[row.Kind][row.Verdict()]++
	}
	return c
}

// Add adds other counts.
func (c *Counts) Add(d Counts) {
	for k := range c {
		for v := range c[k] {
			c[k][v] += d[k][v]
		}
	}
}

// Of returns the number of judged rows of a kind.
func (c Counts) Of(k Kind) int { return c[k][Holds] + c[k][Differs] + c[k][CannotTell] }

// Cell returns "holds / differs / cannot tell" of one kind, or nothing without judged rows.
func (c Counts) Cell(k Kind) string {
	if c.Of(k) == 0 {
		return ""
	}
	return fmt.Sprintf("%d / %d / %d", c[k][Holds], c[k][Differs], c[k][CannotTell])
}

// String returns a sentence with the numbers of each kind: hold, differ, cannot tell.
func (c Counts) String() string {
	names := [kinds]string{
		Printed: "printed numbers", Said: "claims", Formula: "formulas", Own: "questions of ours",
	}
	var parts []string
	for k, name := range names {
		n := c.Of(Kind(k))
		if n == 0 {
			continue
		}
		part := fmt.Sprintf("%d of %d %s hold", c[k][Holds], n, name)
		if c[k][Differs]+c[k][CannotTell] > 0 {
			part += fmt.Sprintf(" (%d differ, %d cannot tell)", c[k][Differs], c[k][CannotTell])
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "; ")
}
