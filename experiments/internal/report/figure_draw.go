package report

import (
	"image/color"
	"math"
	"slices"

	"github.com/tarry-mr/tarry/experiments/internal/drawing"
)

// The size of a picture without its legend, and what lies between its parts, in points.
const (
	wide, high = 454, 283
	margin     = 8
	title      = 12 // heights of letters
	small      = 10
)

var (
	black = color.RGBA{A: 0xff}
	gray  = color.RGBA{0xc8, 0xc8, 0xc8, 0xff}
)

// picture is a figure with its axes in their place. The legend stands beside it, so that neither
// covers the other.
type picture struct {
	*Figure
	x, y   axis
	width  float64
	legend []key
}

// key is a line of the legend.
type key struct {
	name string
	draw func(c drawing.Canvas, box [2]drawing.Point)
}

// picture lays the figure out.
func (f *Figure) picture() (*picture, error) {
	if err := f.checkCells(); err != nil {
		return nil, err
	}
	x, y, err := f.axes()
	if err != nil {
		return nil, err
	}
	p := &picture{Figure: f, x: x, y: y, width: wide}
	if len(f.Cells) > 0 {
		p.legend = f.shadeKeys()
	} else if slices.ContainsFunc(f.Series, func(s Series) bool { return s.Name != "" }) {
		p.legend = f.seriesKeys()
	}
	if len(p.legend) > 0 {
		names := 0.0
		for _, k := range p.legend {
			names = max(names, drawing.Width(k.name, small))
		}
		p.width += names + keyWidth + 3*margin
	}
	labels := 0.0
	for _, v := range p.y.ticks() {
		labels = max(labels, drawing.Width(Number(v), small))
	}
	p.x.from, p.x.to = margin+title+margin+labels+margin, wide-2*margin
	p.y.from, p.y.to = high-margin-title-margin-small-margin, margin+title+margin
	return p, nil
}

// at is where a point lies on the canvas.
func (p *picture) at(x, y float64) drawing.Point { return drawing.Point{X: p.x.at(x), Y: p.y.at(y)} }

// draw draws the picture.
func (p *picture) draw(c drawing.Canvas) {
	p.drawGrid(c)
	switch {
	case len(p.Cells) > 0:
		p.drawCells(c)
	case len(p.Categories) > 0:
		p.drawBars(c)
	case p.Stacked:
		p.drawAreas(c)
	default:
		p.drawLines(c)
	}
	p.drawAxes(c)
	p.drawLegend(c)
}

// thin is the pen of a color.
func thin(c color.RGBA) drawing.Pen { return drawing.Pen{Color: c, Width: 0.5} }

func (p *picture) drawGrid(c drawing.Canvas) {
	for _, v := range p.x.ticks() {
		if len(p.Categories) == 0 {
			c.Stroke([]drawing.Point{p.at(v, p.y.min), p.at(v, p.y.max)}, thin(gray))
		}
	}
	for _, v := range p.y.ticks() {
		c.Stroke([]drawing.Point{p.at(p.x.min, v), p.at(p.x.max, v)}, thin(gray))
	}
}

func (p *picture) drawAxes(c drawing.Canvas) {
	corner := p.at(p.x.min, p.y.min)
	c.Stroke([]drawing.Point{p.at(p.x.min, p.y.max), corner, p.at(p.x.max, p.y.min)}, thin(black))
	below := func(v float64, name string) {
		at := p.at(v, p.y.min)
		c.Stroke([]drawing.Point{at, {X: at.X, Y: at.Y + margin/2}}, thin(black))
		at.Y += margin/2 + small
		c.Write(drawing.Text{At: at, Text: name, Size: small, Anchor: drawing.Middle})
	}
	for i, name := range p.Categories {
		below(float64(i), name)
	}
	for _, v := range p.x.ticks() {
		if len(p.Categories) == 0 {
			below(v, Number(v))
		}
	}
	for _, v := range p.y.ticks() {
		at := p.at(p.x.min, v)
		c.Stroke([]drawing.Point{at, {X: at.X - margin/2, Y: at.Y}}, thin(black))
		at.X, at.Y = at.X-margin*3/4, at.Y+small/3
		c.Write(drawing.Text{At: at, Text: Number(v), Size: small, Anchor: drawing.End})
	}
	middle := (p.x.from + p.x.to) / 2
	c.Write(drawing.Text{At: drawing.Point{X: middle, Y: margin + title*3/4}, Text: p.Title, Size: title, Anchor: drawing.Middle})
	c.Write(drawing.Text{At: drawing.Point{X: middle, Y: high - margin}, Text: p.X, Size: title, Anchor: drawing.Middle})
	c.Write(drawing.Text{
		At: drawing.Point{X: margin + title*3/4, Y: (p.y.from + p.y.to) / 2}, Text: p.Y, Size: title,
		Anchor: drawing.Middle, Turned: true,
	})
}

func (p *picture) drawLines(c drawing.Canvas) {
	for i := range p.Series {
		s := &p.Series[i]
		if s.Published {
			p.drawPublished(c, i, 0)
			continue
		}
		var line []drawing.Point
		for k, x := range s.X {
			if p.Steps && k > 0 {
				line = append(line, p.at(x, s.Y[k-1]))
			}
			line = append(line, p.at(x, s.Y[k]))
		}
		if len(line) > 1 {
			c.Stroke(line, linePen(s, i))
		}
		p.drawIntervals(c, i, 0)
	}
}

// linePen is how the line of a series is drawn.
func linePen(s *Series, i int) drawing.Pen {
	pen := drawing.Pen{Color: palette[i%len(palette)], Width: 1.5}
	if s.Dashed {
		pen.Dash = 4
	}
	return pen
}

func (p *picture) drawBars(c drawing.Canvas) {
	groups := 0
	for _, s := range p.Series {
		if !s.Published {
			groups++
		}
	}
	const group = 0.8 // of the room of a category
	width := group / float64(max(1, groups))
	n := 0
	for i, s := range p.Series {
		if s.Published { // over the bars before it
			p.drawPublished(c, i, (float64(n-1)-float64(groups-1)/2)*width)
			continue
		}
		shift := (float64(n) - float64(groups-1)/2) * width
		for k, y := range s.Y {
			left := float64(k) + shift - width/2
			c.Fill(drawing.Box(p.at(left, 0), p.at(left+width, y)), palette[i%len(palette)])
		}
		p.drawIntervals(c, i, shift)
		n++
	}
}

// drawIntervals draws the intervals of a series, bars black for what is behind them.
func (p *picture) drawIntervals(c drawing.Canvas, series int, shift float64) {
	s := &p.Series[series]
	pen := thin(black)
	if len(p.Categories) == 0 {
		pen.Color = palette[series%len(palette)]
	}
	for i, x := range p.Figure.at(s, shift) {
		low, high, ok := s.interval(i)
		if !ok {
			continue
		}
		const half = 2.5 // points
		below, above := p.at(x, low), p.at(x, high)
		c.Stroke([]drawing.Point{below, above}, pen)
		for _, end := range []drawing.Point{below, above} {
			c.Stroke([]drawing.Point{{X: end.X - half, Y: end.Y}, {X: end.X + half, Y: end.Y}}, pen)
		}
	}
}

// drawPublished draws points that a paper states: rings, black for there are bars behind them, or in
// the color of the series before them, which is ours.
func (p *picture) drawPublished(c drawing.Canvas, series int, shift float64) {
	s := &p.Series[series]
	for i, x := range p.Figure.at(s, shift) {
		c.Stroke(drawing.Ring(p.at(x, s.Y[i]), ringRadius), p.ringPen(series))
	}
}

const ringRadius = 4 // points

func (f *Figure) ringPen(series int) drawing.Pen {
	pen := drawing.Pen{Color: black, Width: 1}
	if len(f.Categories) == 0 && series > 0 {
		pen.Color = palette[(series-1)%len(palette)]
	}
	return pen
}

// drawAreas draws each series as the band between the sums below and above it.
func (p *picture) drawAreas(c drawing.Canvas) {
	if len(p.Series) == 0 {
		return
	}
	below := make([]float64, len(p.Series[0].Y))
	for i, s := range p.Series {
		var outline, back []drawing.Point
		for k := range below {
			back = append(back, p.at(s.X[k], below[k]))
			below[k] += s.Y[k]
			outline = append(outline, p.at(s.X[k], below[k]))
		}
		slices.Reverse(back)
		c.Fill(append(outline, back...), palette[i%len(palette)])
	}
}

const keyWidth = 20 // points

// drawLegend draws the names of the series or shades, the first on top.
func (p *picture) drawLegend(c drawing.Canvas) {
	const line = small * 1.5
	for i, k := range p.legend {
		top := p.y.to + float64(i)*line
		k.draw(c, [2]drawing.Point{{X: wide, Y: top}, {X: wide + keyWidth, Y: top + small}})
		at := drawing.Point{X: wide + keyWidth + margin, Y: top + math.Floor(small*0.8)}
		c.Write(drawing.Text{At: at, Text: k.name, Size: small})
	}
}

// seriesKeys names the series, each drawn as it is in the picture.
func (f *Figure) seriesKeys() (keys []key) {
	for i := range f.Series {
		s := &f.Series[i]
		keys = append(keys, key{s.Name, func(c drawing.Canvas, box [2]drawing.Point) {
			middle := (box[0].Y + box[1].Y) / 2
			switch {
			case s.Published:
				c.Stroke(drawing.Ring(drawing.Point{X: (box[0].X + box[1].X) / 2, Y: middle}, ringRadius), f.ringPen(i))
			case f.Stacked || len(f.Categories) > 0:
				c.Fill(drawing.Box(box[0], box[1]), palette[i%len(palette)])
			default:
				c.Stroke([]drawing.Point{{X: box[0].X, Y: middle}, {X: box[1].X, Y: middle}}, linePen(s, i))
			}
		}})
	}
	return keys
}
