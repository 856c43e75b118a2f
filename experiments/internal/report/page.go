package report

import (
	"bytes"
	"fmt"
	"html/template"
	"io"
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

// pageTemplate is the page; what it is given is escaped.
var pageTemplate = template.Must(template.New("page").Parse(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{.Page.Title}}</title>
<style>
body { font: 15px/1.5 'Liberation Sans', Arial, Helvetica, sans-serif; max-width: 75em; margin: 2em auto; padding: 0 1em; color: #222; background: #fff }
table { border-collapse: collapse; margin: 1em 0; font-size: 90% }
th, td { border: 1px solid #ccc; padding: .2em .6em; text-align: left; vertical-align: top }
th { background: #f0f0f0 }
.holds { background: #d9f0e3 } .differs { background: #f8d9cc } .cannot { background: #f4f0d0 }
svg { max-width: 100%; height: auto }
figure { display: inline-block; margin: .5em }
section { border-top: 1px solid #ccc; margin-top: 2em }
</style>
</head>
<body>
<h1>{{.Page.Title}}</h1>
{{range .Page.Lead}}<p>{{.}}</p>
{{end}}{{with .Contents}}{{template "grid" .}}{{end}}
{{range .Sections}}<section id="{{.Section.Name}}">
<h2>{{.Section.Title}}</h2>
{{range .Section.Lead}}<p>{{.}}</p>
{{end}}{{with .Main}}{{template "grid" .}}{{end}}
{{range .Pictures}}<figure role="img" aria-label="{{.Title}}">
{{.SVG}}</figure>
{{end}}{{range .Folded}}<details><summary>{{.Title}}</summary>
{{template "grid" .}}</details>
{{end}}{{range .Section.Lists}}{{if .Lines}}<details><summary>{{.Title}}</summary>
<ul>
{{range .Lines}}<li>{{.}}</li>
{{end}}</ul></details>
{{end}}{{end}}</section>
{{end}}</body>
</html>
{{define "grid"}}<table>
<tr>{{range .Head}}<th>{{.}}</th>{{end}}</tr>
{{range .Lines}}<tr>{{range .}}<td{{with .Class}} class="{{.}}"{{end}}>{{if .To}}<a href="#{{.To}}">{{.Text}}</a>{{else}}{{.Text}}{{end}}</td>{{end}}</tr>
{{end}}</table>
{{end}}`))

// drawnCell, drawnGrid, picture and drawnSection are what the template shows.
type (
	drawnCell struct{ Text, Class, To string }
	drawnGrid struct {
		Title string
		Head  []string
		Lines [][]drawnCell
	}
	picture struct {
		Title string
		SVG   template.HTML
	}
	drawnSection struct {
		Section  *Section
		Main     *drawnGrid
		Pictures []picture
		Folded   []*drawnGrid
	}
)

// class colors a verdict.
func class(text string) string {
	for begin, class := range map[string]string{"holds": "holds", "differs": "differs", "cannot tell": "cannot"} {
		if len(text) >= len(begin) && text[:len(begin)] == begin {
			return class
		}
	}
	return ""
}

// drawn is a table for the template, nil if it is empty.
func (g *Grid) drawn() *drawnGrid {
	if len(g.Lines) == 0 {
		return nil
	}
	d := &drawnGrid{Title: g.Title, Head: g.Head}
	for _, line := range g.Lines {
		var cells []drawnCell
		for _, text := range line {
			cells = append(cells, drawnCell{Text: text, Class: class(text)})
		}
		d.Lines = append(d.Lines, cells)
	}
	return d
}

// Write writes the page. The same page has the same bytes.
func (p *Page) Write(w io.Writer) error {
	shown := struct {
		Page     *Page
		Contents *drawnGrid
		Sections []drawnSection
	}{Page: p, Contents: p.Contents.drawn()}
	for i := range p.Sections {
		s := &p.Sections[i]
		d := drawnSection{Section: s, Main: s.Main.drawn()}
		for k := range s.Figures {
			svg, err := s.Figures[k].svg()
			if err != nil {
				return fmt.Errorf("figure %s: %w", s.Figures[k].Name, err)
			}
			inline := svg[max(0, bytes.Index(svg, []byte("<svg"))):]
			d.Pictures = append(d.Pictures, picture{s.Figures[k].Title, template.HTML(inline)}) //nolint:gosec // ours
		}
		for k := range s.Grids {
			if g := s.Grids[k].drawn(); g != nil {
				d.Folded = append(d.Folded, g)
			}
		}
		shown.Sections = append(shown.Sections, d)
		if shown.Contents != nil && i < len(shown.Contents.Lines) {
			shown.Contents.Lines[i][0].To = s.Name
		}
	}
	return pageTemplate.Execute(w, shown)
}
