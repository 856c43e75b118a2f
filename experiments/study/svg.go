package study

import (
	"bytes"
	"fmt"
	"html"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The size of a picture without its legend, and of its parts, in points.
const (
	wide, high = 454, 283
	margin     = 8
	title      = 12 // heights of letters
	small      = 10
	keyWidth   = 20
	ringRadius = 4
)

const black, gray = "#000000", "#C8C8C8"

// palette is the Okabe–Ito set, which color-blind readers can distinguish.
var palette = [...]string{
	"#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9", "#F0E442", black,
}

func color(series int) string { return palette[series%len(palette)] }

// family names fonts of nearly equal widths; every viewer has one of them.
const family = "'Liberation Sans',Arial,Helvetica,sans-serif"

// point is a place on a picture: points (1/72 inch) from its left and its upper edge.
type point struct{ x, y float64 }

// picture is a figure while it is drawn as SVG. Its legend is to the right of it.
type picture struct {
	*Figure
	bytes.Buffer
	xAxis, yAxis axis
}

// svg draws the figure as SVG that looks alike in every viewer. Equal figures give equal bytes.
func (f *Figure) svg() ([]byte, error) {
	x, y, err := f.axes()
	if err != nil {
		return nil, err
	}
	labels := 0.0
	for _, v := range y.ticks() {
		labels = max(labels, textWidth(Number(v)))
	}
	x.from, x.to = 3*margin+title+labels, wide-2*margin
	y.from, y.to = high-3*margin-title-small, 2*margin+title
	p := &picture{Figure: f, xAxis: x, yAxis: y}
	p.drawAxes()
	for i := range p.Series {
		p.drawSeries(i)
	}
	p.draw(stroke(black, 0.5), p.at(x.min, y.max), p.at(x.min, y.min), p.at(x.max, y.min)) // over bars and areas
	width := decimal(wide + p.drawLegend())
	head := fmt.Sprintf(`<?xml version="1.0"?>
<svg width="%[1]spt" height="%[2]dpt" viewBox="0 0 %[1]s %[2]d" xmlns="http://www.w3.org/2000/svg" font-family="%[3]s">
<rect width="%[1]s" height="%[2]d" fill="#FFFFFF"/>
`, width, high, family)
	return slices.Concat([]byte(head), p.Bytes(), []byte("</svg>\n")), nil
}

// at returns the place of a point on the picture.
func (p *picture) at(x, y float64) point { return point{p.xAxis.at(x), p.yAxis.at(y)} }

// draw draws a line through points, or fills what it encloses.
func (p *picture) draw(style string, line ...point) {
	p.WriteString(`<polyline points="`)
	for i, at := range line {
		if i > 0 {
			p.WriteByte(' ')
		}
		p.WriteString(decimal(at.x) + "," + decimal(at.y))
	}
	p.WriteString(`" ` + style + "/>\n")
}

// The styles of draw.
func fill(color string) string { return fmt.Sprintf(`fill="%s"`, color) }

func stroke(color string, width float64) string {
	return fmt.Sprintf(`fill="none" stroke="%s" stroke-width="%s"`, color, decimal(width))
}

// The alignments of a text at its point.
const (
	start  = ""
	middle = ` text-anchor="middle"`
	end    = ` text-anchor="end"`
)

// write writes a text; place is its alignment at the point, which is on the base line.
func (p *picture) write(at point, size int, place, text string) {
	fmt.Fprintf(p, "<text x=\"%s\" y=\"%s\" font-size=\"%d\"%s>%s</text>\n", decimal(at.x), decimal(at.y), size,
		place, html.EscapeString(text))
}

// drawAxes draws the axes with their ticks and labels, a grid, and the titles.
func (p *picture) drawAxes() {
	thin, x, y := stroke(black, 0.5), &p.xAxis, &p.yAxis
	below := func(v float64, name string) {
		at := p.at(v, y.min)
		p.draw(thin, at, point{at.x, at.y + margin/2})
		for i, line := range strings.Split(name, "\n") { // two have room
			p.write(point{at.x, at.y + margin/2 + float64(i+1)*small}, small, middle, line)
		}
	}
	for i, name := range p.Categories {
		below(float64(i), name)
	}
	for _, v := range x.ticks() {
		if !p.bars() {
			p.draw(stroke(gray, 0.5), p.at(v, y.min), p.at(v, y.max))
			below(v, Number(v))
		}
	}
	for _, v := range y.ticks() {
		at := p.at(x.min, v)
		p.draw(stroke(gray, 0.5), at, p.at(x.max, v))
		p.draw(thin, at, point{at.x - margin/2, at.y})
		p.write(point{at.x - margin*3/4, at.y + small/3}, small, end, Number(v))
	}
	center := (x.from + x.to) / 2
	p.write(point{center, margin + title*3/4}, title, middle, p.Title)
	p.write(point{center, high - margin}, title, middle, p.X)
	left := point{margin + title*3/4, (y.from + y.to) / 2}
	p.write(left, title, fmt.Sprintf(`%s transform="rotate(-90 %s %s)"`, middle, decimal(left.x), decimal(left.y)), p.Y)
}

// drawSeries draws a series with its intervals: published values as rings, others as bars, as an
// area on the series before it, or as a line.
func (p *picture) drawSeries(i int) {
	marks := p.marks(i)
	width, _ := p.bar(i)
	var line, base []point
	for k, m := range marks {
		at, below := p.at(m.x, m.y), p.at(m.x, m.from)
		switch {
		case p.Series[i].Published:
			p.drawRing(i, at)
		case p.bars():
			half := p.at(m.x+width/2, 0).x - at.x
			p.fillBox(i, point{at.x - half, at.y}, point{at.x + half, below.y})
		case p.Steps && k > 0:
			line = append(line, point{at.x, line[len(line)-1].y}, at)
		default:
			line = append(line, at)
		}
		base = append(base, below)
	}
	switch {
	case p.Stacked:
		slices.Reverse(base)
		p.draw(fill(color(i)), append(line, base...)...)
	case len(line) > 1:
		p.draw(p.lineStyle(i), line...)
	}
	p.drawIntervals(i, marks)
}

func (p *picture) fillBox(series int, a, b point) {
	p.draw(fill(color(series)), a, point{a.x, b.y}, b, point{b.x, a.y})
}

func (p *picture) lineStyle(series int) string {
	style := stroke(color(series), 1.5)
	if p.Series[series].Dashed {
		style += ` stroke-dasharray="4"`
	}
	return style
}

// drawRing draws a published value: in black over bars, otherwise in the color of the series before
// it, which has our values.
func (p *picture) drawRing(series int, at point) {
	style := stroke(black, 1)
	if !p.bars() && series > 0 {
		style = stroke(color(series-1), 1)
	}
	fmt.Fprintf(p, "<circle cx=\"%s\" cy=\"%s\" r=\"%d\" %s/>\n", decimal(at.x), decimal(at.y), ringRadius, style)
}

// drawIntervals draws the intervals of a series, in black over bars.
func (p *picture) drawIntervals(series int, marks []mark) {
	thin := stroke(color(series), 0.5)
	if p.bars() {
		thin = stroke(black, 0.5)
	}
	for _, m := range marks {
		if m.low == m.high {
			continue
		}
		const half = 2.5 // points
		below, above := p.at(m.x, m.low), p.at(m.x, m.high)
		p.draw(thin, below, above)
		for _, end := range []point{below, above} {
			p.draw(thin, point{end.x - half, end.y}, point{end.x + half, end.y})
		}
	}
}

// drawLegend draws the names of the series, the first on top, and returns the legend's width.
func (p *picture) drawLegend() (width float64) {
	if !slices.ContainsFunc(p.Series, func(s *Series) bool { return s.Name != "" }) {
		return 0
	}
	for i, s := range p.Series {
		top := p.yAxis.to + float64(i)*small*1.5
		left, right := point{wide, top + small/2}, point{wide + keyWidth, top + small/2}
		switch { // as it is in the picture
		case s.Published:
			p.drawRing(i, point{wide + keyWidth/2, left.y})
		case p.Stacked || p.bars():
			p.fillBox(i, point{left.x, top}, point{right.x, top + small})
		default:
			p.draw(p.lineStyle(i), left, right)
		}
		p.write(point{right.x + margin, top + small*4/5}, small, start, s.Name)
		width = max(width, textWidth(s.Name)+keyWidth+3*margin)
	}
	return width
}

// decimal formats a length with at most two decimals.
func decimal(v float64) string {
	return strconv.FormatFloat(math.Round(v*100)/100, 'f', -1, 64)
}

// textWidth returns about the width of a small text: of its size, a letter's width is half and a
// digit's 0.56.
func textWidth(text string) float64 { return 0.56 * small * float64(utf8.RuneCountInString(text)) }
