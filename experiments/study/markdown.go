package study

import (
	"bytes"
	"fmt"
	"strings"
)

// quick is the first line of what a quick run writes.
const quick = "**Quick run**: smaller versions with few seeds, so that most rows cannot be told. " +
	"Figures to be cited come from a full run.\n\n"

// markdown is a text as it grows.
type markdown struct{ bytes.Buffer }

func (m *markdown) put(format string, values ...any) { fmt.Fprintf(m, format, values...) }

// newMarkdown begins a text.
func newMarkdown(o Options) *markdown {
	m := &markdown{}
	if o.Quick {
		m.put("%s", quick)
	}
	return m
}

// resultOf is the text of one outcome.
func resultOf(d Outcome, o Options) []byte {
	m := newMarkdown(o)
	m.section(d, o, "#", "")
	return m.Bytes()
}

// reportOf is the text that ties all outcomes together.
func reportOf(done []Outcome, o Options) []byte {
	m := newMarkdown(o)
	m.put("# Published figures beside ours\n\nSeed %d. %v.\n\n", o.Seed, countsOf(done))
	m.put("%s", "*Printed* is a number of a paper, *said* a claim in its words; these two are "+
		"what is published. *Formula* follows from a text, *own* is a question of ours. A row "+
		"*holds* if the whole 95 % interval of ours lies where it should, *differs* if none of "+
		"it does; else we *cannot tell*. Columns count holds / differs / cannot tell.\n\n")
	m.put("| experiment | source | printed | said | formula | own |\n|---|---|---|---|---|---|\n")
	for _, d := range done {
		if d.Result.Measured {
			m.put("| [%s](%s/result.md) | %s | measured | | | |\n", d.Title, d.Name, cell(d.Source))
			continue
		}
		c := d.Result.Counts()
		m.put("| [%s](#%s) | %s | %s | %s | %s | %s |\n", d.Title, d.Name, cell(d.Source),
			c.Cell(Printed), c.Cell(Said), c.Cell(Formula), c.Cell(Own))
	}
	m.put("\n*Measured* experiments take times of a clock, which differ from run to run; their " +
		"numbers are in their own folders and are not counted here.\n")
	for _, d := range done {
		if !d.Result.Measured {
			m.section(d, o, "##", d.Name+"/")
		}
	}
	return m.Bytes()
}

// command is the command line that gives the outcome again. The folder is any, so that the same
// flags write the same bytes.
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

// section adds one outcome; figures are looked for under prefix.
func (m *markdown) section(d Outcome, o Options, head, prefix string) {
	m.put("\n<a id=\"%s\"></a>\n%s %s\n\nSource: %s. Command: `%s`.\n", d.Name, head, d.Title, d.Source,
		command(d.Name, o))
	m.list("Found", d.Result.Findings)
	m.put("\n")
	m.table(rowHead, d.Result.cells())
	for _, t := range d.Result.Tables {
		m.put("\n%s:\n\n", t.Title)
		m.table(t.Columns, t.cells())
	}
	for _, f := range d.Result.Figures {
		m.put("\n![%s](%s%s.svg)\n", f.Title, prefix, f.Name)
	}
	m.list("Set-up", d.Result.Setup)
	m.list("Notes", d.Result.Notes)
}

func (m *markdown) list(title string, lines []string) {
	if len(lines) > 0 {
		m.put("\n%s:\n\n- %s\n", title, strings.Join(lines, "\n- "))
	}
}

// table adds a table.
func (m *markdown) table(head []string, lines [][]string) {
	line := func(cells []string) {
		m.put("|")
		for _, text := range cells {
			m.put(" %s |", cell(text))
		}
		m.put("\n")
	}
	line(head)
	m.put("|%s\n", strings.Repeat("---|", len(head)))
	for _, l := range lines {
		line(l)
	}
}

// cell keeps a text from ending its table cell.
func cell(s string) string { return strings.ReplaceAll(s, "|", "\\|") }
