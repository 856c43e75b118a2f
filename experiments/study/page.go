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
	Quick    bool
	Seed     uint64
	Counts   Counts
	Overview pageTable
	Sections []Outcome
}

// pageTable is a table of the page; a table without lines has no head. If Names is set, the first
// cell of line i links to the section of experiment Names[i].
type pageTable struct {
	Head  []string
	Lines [][]string
	Names []string
}

// pageList is a title and the sentences listed below it.
type pageList struct {
	Title string
	Lines []string
}

// pageOf returns report.html, with all outcomes but measured ones. Equal outcomes give equal bytes.
func pageOf(done []Outcome, o Options) ([]byte, error) {
	page := template.Must(template.New("page").Funcs(functions(o)).Parse(pageHTML))
	v := pageView{Title: "Published figures beside ours", Quick: o.Quick, Seed: o.Seed, Counts: countsOf(done)}
	v.Overview.Head = []string{"experiment", "source", "printed", "said", "formula", "own"}
	for _, d := range done {
		if d.Result.Measured {
			continue
		}
		c := d.Result.Counts()
		v.Overview.Lines = append(v.Overview.Lines, []string{d.Title, d.Source, c.Cell(Printed), c.Cell(Said), c.Cell(Formula), c.Cell(Own)})
		v.Overview.Names = append(v.Overview.Names, d.Name)
		v.Sections = append(v.Sections, d)
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
		"class":   class,
		"command": func(name string) string { return command(name, o) },
		"list":    func(title string, lines []string) pageList { return pageList{title, lines} },
		"rows":    func(r *Result) pageTable { return pageTable{Head: rowHead, Lines: r.cells()} },
		"svg":     pageFigure,
		"table":   func(t *Table) pageTable { return pageTable{Head: t.Columns, Lines: t.cells(tableNumber)} },
	}
}

// pageFigure returns a figure as an SVG element of a page.
func pageFigure(f *Figure) (template.HTML, error) {
	svg, err := f.svg()
	return template.HTML(svg[max(0, bytes.Index(svg, []byte("<svg"))):]), err //nolint:gosec // its texts are escaped
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
