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

// resultOf returns the text of an outcome.
func resultOf(d Outcome, o Options) []byte {
	m := &markdown{}
	if o.Quick {
		m.put("%s", quick)
	}
	m.put("\n<a id=\"%s\"></a>\n# %s\n\nSource: %s. Command: `%s`.\n", d.Name, d.Title, d.Source, command(d.Name, o))
	m.list("Found", d.Result.Findings)
	m.put("\n")
	m.table(rowHead, d.Result.cells())
	for _, t := range d.Result.Tables {
		m.put("\n%s:\n\n", t.Title)
		m.table(t.Columns, t.cells())
	}
	for _, f := range d.Result.Figures {
		m.put("\n![%s](%s.svg)\n", f.Title, f.Name)
	}
	m.list("Set-up", d.Result.Setup)
	m.list("Notes", d.Result.Notes)
	return m.Bytes()
}

// command returns the command line that reproduces the outcome. Its folder is the experiment's
// name, so that the same flags write the same bytes.
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

// cell escapes a text for a table cell.
func cell(s string) string { return strings.ReplaceAll(s, "|", "\\|") }
