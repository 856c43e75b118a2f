package study

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/tarry-mr/tarry/internal/markup"
)

// Page is a document in one file: pictures are inside, nothing is fetched.
type Page struct {
	Title    string
	Lead     []string // paragraphs
	Contents Grid     // whose lines lead to the sections, in their order; may be empty
	Sections []Section
}

// Section is a part of a Page. Empty parts are left out.
type Section struct {
	Name    string // anchor: letters, digits and dashes
	Title   string
	Lead    []string // paragraphs
	Main    Grid
	Figures []Figure
	Grids   []Grid // folded
	Lists   []List // folded
}

// Grid is a table of texts.
type Grid struct {
	Title string
	Head  []string
	Lines [][]string
}

// List is sentences under a title.
type List struct {
	Title string
	Lines []string
}

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

// Write writes the page. The same page has the same bytes.
func (p *Page) Write(w io.Writer) error {
	var m markup.Writer
	m.Put(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>%s</title>
<style>`, p.Title)
	m.Raw([]byte(pageStyle))
	m.Put("</style>\n</head>\n<body>\n<h1>%s</h1>\n", p.Title)
	paragraphs(&m, p.Lead)
	p.Contents.write(&m, p.Sections)
	for i := range p.Sections {
		if err := p.Sections[i].write(&m); err != nil {
			return err
		}
	}
	m.Put("</body>\n</html>\n")
	_, err := w.Write(m.Bytes())
	return err
}

func paragraphs(m *markup.Writer, list []string) {
	for _, text := range list {
		m.Put("<p>%s</p>\n", text)
	}
}

// write writes a section.
func (s *Section) write(m *markup.Writer) error {
	m.Put("<section id=\"%s\">\n<h2>%s</h2>\n", s.Name, s.Title)
	paragraphs(m, s.Lead)
	s.Main.write(m, nil)
	for i := range s.Figures {
		f := &s.Figures[i]
		svg, err := f.svg()
		if err != nil {
			return fmt.Errorf("figure %s: %w", f.Name, err)
		}
		m.Put("<figure role=\"img\" aria-label=\"%s\">\n", f.Title)
		m.Raw(svg[max(0, bytes.Index(svg, []byte("<svg"))):])
		m.Put("</figure>\n")
	}
	for i := range s.Grids {
		if g := &s.Grids[i]; len(g.Lines) > 0 {
			m.Put("<details><summary>%s</summary>\n", g.Title)
			g.write(m, nil)
			m.Put("</details>\n")
		}
	}
	for _, l := range s.Lists {
		if len(l.Lines) == 0 {
			continue
		}
		m.Put("<details><summary>%s</summary>\n<ul>\n", l.Title)
		for _, line := range l.Lines {
			m.Put("<li>%s</li>\n", line)
		}
		m.Put("</ul></details>\n")
	}
	m.Put("</section>\n")
	return nil
}

// write writes a table, unless it is empty. The first cell of each line leads to a section.
func (g *Grid) write(m *markup.Writer, to []Section) {
	if len(g.Lines) == 0 {
		return
	}
	m.Put("<table>\n<tr>")
	for _, name := range g.Head {
		m.Put("<th>%s</th>", name)
	}
	m.Put("</tr>\n")
	for i, line := range g.Lines {
		m.Put("<tr>")
		for k, text := range line {
			m.Put("<td")
			m.PutIf(class(text) != "", " class=\"%s\"", class(text))
			if k == 0 && i < len(to) {
				m.Put("><a href=\"#%s\">%s</a></td>", to[i].Name, text)
				continue
			}
			m.Put(">%s</td>", text)
		}
		m.Put("</tr>\n")
	}
	m.Put("</table>\n")
}

// class colors a verdict.
func class(text string) string {
	switch {
	case strings.HasPrefix(text, "holds"):
		return "holds"
	case strings.HasPrefix(text, "differs"):
		return "differs"
	case strings.HasPrefix(text, "cannot tell"):
		return "cannot"
	}
	return ""
}
