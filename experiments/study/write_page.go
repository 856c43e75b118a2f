package study

import (
	"fmt"
	"io"
	"math"
)

// writePage writes all outcomes but the measured ones as one page.
func writePage(w io.Writer, done []Outcome, o Options) error {
	p := Page{
		Title:    "Published figures beside ours",
		Contents: Grid{Head: []string{"experiment", "source", "printed", "said", "formula", "own"}},
	}
	var all Counts
	for _, d := range done {
		if d.Result.Measured {
			continue
		}
		c := d.Result.Counts()
		all.Add(c)
		p.Contents.Lines = append(p.Contents.Lines, []string{
			d.Title, d.Source, c.Cell(Printed), c.Cell(Said), c.Cell(Formula), c.Cell(Own),
		})
		p.Sections = append(p.Sections, section(d, o))
	}
	if o.Quick {
		p.Lead = append(p.Lead, "Quick run: smaller versions with few seeds, so that most rows cannot be told.")
	}
	p.Lead = append(p.Lead, fmt.Sprintf("Seed %d. %v.", o.Seed, all),
		"Printed is a number of a paper, said a claim in its words, formula follows from a text, own is a question of "+
			"ours. A row holds if the whole 95 % interval of ours lies where it should, differs if none of it does; else "+
			"we cannot tell. Columns count holds / differs / cannot tell. Bars with whiskers are means with 95 % "+
			"intervals, rings what a paper states.")
	return p.Write(w)
}

// section is an outcome as a part of the page.
func section(d Outcome, o Options) Section {
	s := Section{
		Name: d.Name, Title: d.Title, Figures: d.Result.Figures,
		Lead: append([]string{fmt.Sprintf("Source: %s. Command: %s", d.Source, command(d.Name, o))}, d.Result.Findings...),
		Main: Grid{Head: []string{"quantity", "kind", "published", "ours", "95 % interval", "seeds", "verdict"}},
		Lists: []List{
			{"Set-up", d.Result.Setup}, {"Notes", d.Result.Notes},
		},
	}
	for _, r := range d.Result.Rows {
		s.Main.Lines = append(s.Main.Lines, []string{
			r.Quantity, r.Kind.String(), r.published(), r.show(r.Ours.Mean()), r.interval(), r.seeds(), r.verdict(),
		})
	}
	for i := range d.Result.Tables {
		t := &d.Result.Tables[i]
		g := Grid{Title: t.Title, Head: t.Columns}
		for _, l := range t.Lines {
			line := []string{l.Label}
			for _, v := range l.Values {
				line = append(line, tableNumber(v))
			}
			g.Lines = append(g.Lines, line)
		}
		s.Grids = append(s.Grids, g)
	}
	return s
}

// tableNumber is a number of a table, a dash if it is none.
func tableNumber(v float64) string {
	if math.IsNaN(v) {
		return "–"
	}
	return Number(math.Round(v*100) / 100)
}
