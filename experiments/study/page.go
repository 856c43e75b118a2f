package study

import (
	"bytes"
	"fmt"
	"math"
	"strings"

	"github.com/tarry-mr/tarry/internal/markup"
)

const pageStyle = `
body { font: 15px/1.5 'Liberation Sans', Arial, Helvetica, sans-serif; max-width: 75em; margin: 2em auto; padding: 0 1em; color: #222; background: #fff }
table { border-collapse: collapse; margin: 1em 0; font-size: 90% }
th, td { border: 1px solid #ccc; padding: .2em .6em; text-align: left; vertical-align: top }
th { background: #f0f0f0 }
.holds { background: #d9f0e3 } .differs { background: #f8d9cc } .cannot { background: #f4f0d0 }
svg { max-width: 100%; height: auto }
figure { display: inline-block; margin: .5em }
section { border-top: 1px solid #ccc; margin-top: 2em }
`

// page is a document in one file: pictures are inside, nothing is fetched.
type page struct{ markup.Writer }

// pageOf is all outcomes but the measured ones as one page. The same outcomes give the same bytes.
func pageOf(done []Outcome, o Options) ([]byte, error) {
	const title = "Published figures beside ours"
	var p page
	p.Put(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>%s</title>
<style>`, title)
	p.Raw([]byte(pageStyle))
	p.Put("</style>\n</head>\n<body>\n<h1>%s</h1>\n", title)
	if o.Quick {
		p.paragraphs("Quick run: smaller versions with few seeds, so that most rows cannot be told.")
	}
	var lines [][]string
	var names []string
	for _, d := range done {
		if c := d.Result.Counts(); !d.Result.Measured {
			names = append(names, d.Name)
			lines = append(lines, []string{
				d.Title, d.Source, c.Cell(Printed), c.Cell(Said), c.Cell(Formula), c.Cell(Own),
			})
		}
	}
	p.paragraphs(fmt.Sprintf("Seed %d. %v.", o.Seed, countsOf(done)),
		"Printed is a number of a paper, said a claim in its words, formula follows from a text, own is a question of "+
			"ours. A row holds if the whole 95 % interval of ours lies where it should, differs if none of it does; else "+
			"we cannot tell. Columns count holds / differs / cannot tell. Bars with whiskers are means with 95 % "+
			"intervals, rings what a paper states.")
	p.table([]string{"experiment", "source", "printed", "said", "formula", "own"}, lines, names)
	for _, d := range done {
		if d.Result.Measured {
			continue
		}
		if err := p.section(d, o); err != nil {
			return nil, err
		}
	}
	p.Put("</body>\n</html>\n")
	return p.Bytes(), nil
}

// section writes an outcome. What it has none of is left out.
func (p *page) section(d Outcome, o Options) error {
	p.Put("<section id=\"%s\">\n<h2>%s</h2>\n", d.Name, d.Title)
	p.paragraphs(fmt.Sprintf("Source: %s. Command: %s", d.Source, command(d.Name, o)))
	p.paragraphs(d.Result.Findings...)
	p.table(rowHead, d.Result.cells(), nil)
	for _, f := range d.Result.Figures {
		svg, err := f.svg()
		if err != nil {
			return err
		}
		p.Put("<figure role=\"img\" aria-label=\"%s\">\n", f.Title)
		p.Raw(svg[max(0, bytes.Index(svg, []byte("<svg"))):])
		p.Put("</figure>\n")
	}
	for _, t := range d.Result.Tables {
		if len(t.Lines) > 0 {
			p.Put("<details><summary>%s</summary>\n", t.Title)
			p.table(t.Columns, t.cells(), nil)
			p.Put("</details>\n")
		}
	}
	p.list("Set-up", d.Result.Setup)
	p.list("Notes", d.Result.Notes)
	p.Put("</section>\n")
	return nil
}

func (p *page) paragraphs(list ...string) {
	for _, text := range list {
		p.Put("<p>%s</p>\n", text)
	}
}

// list writes sentences under a title, folded.
func (p *page) list(title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	p.Put("<details><summary>%s</summary>\n<ul>\n", title)
	for _, line := range lines {
		p.Put("<li>%s</li>\n", line)
	}
	p.Put("</ul></details>\n")
}

// table writes a table, unless it is empty. The first cell of each line leads to a section, if
// names are given.
func (p *page) table(head []string, lines [][]string, names []string) {
	if len(lines) == 0 {
		return
	}
	p.Put("<table>\n<tr>")
	for _, name := range head {
		p.Put("<th>%s</th>", name)
	}
	p.Put("</tr>\n")
	for i, line := range lines {
		p.Put("<tr>")
		for k, text := range line {
			p.Put("<td")
			p.PutIf(class(text) != "", " class=\"%s\"", class(text))
			if k == 0 && i < len(names) {
				p.Put("><a href=\"#%s\">%s</a></td>", names[i], text)
				continue
			}
			p.Put(">%s</td>", text)
		}
		p.Put("</tr>\n")
	}
	p.Put("</table>\n")
}

// class colors a verdict.
func class(text string) string {
	for _, name := range []string{"holds", "differs", "cannot"} {
		if strings.HasPrefix(text, name) {
			return name
		}
	}
	return ""
}

// tableNumber is a number of a table, a dash if it is none.
func tableNumber(v float64) string {
	if math.IsNaN(v) {
		return "–"
	}
	return Number(math.Round(v*100) / 100)
}
