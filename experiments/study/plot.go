package study

import (
	"math"
	"slices"
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

// picture is a figure while it is drawn as SVG. Its legend is to the right of it.
type picture struct {
	*Figure
	svg
	xAxis, yAxis axis
}

// svg draws the figure as SVG that looks alike in every viewer.
func (f *Figure) svg() ([]byte, error) {
	x, y, err := f.axes()
	if err != nil {
		return nil, err
	}
	p := &picture{Figure: f, xAxis: x, yAxis: y}
	labels := 0.0
	for _, v := range y.ticks() {
		labels = max(labels, textWidth(Number(v), small))
	}
	p.xAxis.from, p.xAxis.to = margin+title+margin+labels+margin, wide-2*margin
	p.yAxis.from, p.yAxis.to = high-margin-title-margin-small-margin, margin+title+margin
	p.drawGrid()
	switch {
	case len(p.Categories) > 0:
		p.drawBars()
	case p.Stacked:
		p.drawAreas()
	default:
		p.drawLines()
	}
	p.drawAxes()
	return p.document(wide+p.drawLegend(), high), nil
}

// at returns the place of a point on the picture.
func (p *picture) at(x, y float64) point { return point{p.xAxis.at(x), p.yAxis.at(y)} }

func (p *picture) drawGrid() {
	thin := pen{color: gray, width: 0.5}
	for _, v := range p.xAxis.ticks() {
		if len(p.Categories) == 0 {
			p.stroke(thin, p.at(v, p.yAxis.min), p.at(v, p.yAxis.max))
		}
	}
	for _, v := range p.yAxis.ticks() {
		p.stroke(thin, p.at(p.xAxis.min, v), p.at(p.xAxis.max, v))
	}
}

func (p *picture) drawAxes() {
	thin, x, y := pen{color: black, width: 0.5}, &p.xAxis, &p.yAxis
	p.stroke(thin, p.at(x.min, y.max), p.at(x.min, y.min), p.at(x.max, y.min))
	below := func(v float64, name string) {
		at := p.at(v, y.min)
		p.stroke(thin, at, point{at.x, at.y + margin/2})
		p.write(point{at.x, at.y + (margin/2 + small)}, small, middle, name)
	}
	for i, name := range p.Categories {
		below(float64(i), name)
	}
	for _, v := range x.ticks() {
		if len(p.Categories) == 0 {
			below(v, Number(v))
		}
	}
	for _, v := range y.ticks() {
		at := p.at(x.min, v)
		p.stroke(thin, at, point{at.x - margin/2, at.y})
		p.write(point{at.x - margin*3/4, at.y + small/3}, small, end, Number(v))
	}
	center := (x.from + x.to) / 2
	p.write(point{center, margin + title*3/4}, title, middle, p.Title)
	p.write(point{center, high - margin}, title, middle, p.X)
	p.write(point{margin + title*3/4, (y.from + y.to) / 2}, title, upwards, p.Y)
}

func (p *picture) drawLines() {
	for i, s := range p.Series {
		if s.Published {
			p.drawPublished(i, 0)
			continue
		}
		var line []point
		for k, x := range s.X {
			if p.Steps && k > 0 {
				line = append(line, p.at(x, s.Y[k-1]))
			}
			line = append(line, p.at(x, s.Y[k]))
		}
		if len(line) > 1 {
			p.stroke(p.linePen(i), line...)
		}
		p.drawIntervals(i, 0)
	}
}

// linePen returns the pen for the line of a series.
func (p *picture) linePen(series int) pen {
	line := pen{color: palette[series%len(palette)], width: 1.5}
	if p.Series[series].Dashed {
		line.dash = 4
	}
	return line
}

func (p *picture) drawBars() {
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
			p.drawPublished(i, (float64(n-1)-float64(groups-1)/2)*width)
			continue
		}
		shift := (float64(n) - float64(groups-1)/2) * width
		for k, y := range s.Y {
			left := float64(k) + shift - width/2
			p.fill(palette[i%len(palette)], box(p.at(left, 0), p.at(left+width, y))...)
		}
		p.drawIntervals(i, shift)
		n++
	}
}

// drawIntervals draws the intervals of a series, in black over bars.
func (p *picture) drawIntervals(series int, shift float64) {
	s, thin := p.Series[series], pen{color: black, width: 0.5}
	if len(p.Categories) == 0 {
		thin.color = palette[series%len(palette)]
	}
	for i, x := range p.places(s, shift) {
		low, high, ok := s.interval(i)
		if !ok {
			continue
		}
		const half = 2.5 // points
		below, above := p.at(x, low), p.at(x, high)
		p.stroke(thin, below, above)
		for _, end := range []point{below, above} {
			p.stroke(thin, point{end.x - half, end.y}, point{end.x + half, end.y})
		}
	}
}

// drawPublished draws published values as rings: in black over bars, otherwise in the color of the
// series before them, which has our values.
func (p *picture) drawPublished(series int, shift float64) {
	s := p.Series[series]
	for i, x := range p.places(s, shift) {
		p.stroke(p.ringPen(series), ring(p.at(x, s.Y[i]), ringRadius)...)
	}
}

func (p *picture) ringPen(series int) pen {
	if len(p.Categories) == 0 && series > 0 {
		return pen{color: palette[(series-1)%len(palette)], width: 1}
	}
	return pen{color: black, width: 1}
}

// drawAreas draws each series as the band between the sums below and above it.
func (p *picture) drawAreas() {
	if len(p.Series) == 0 {
		return
	}
	below := make([]float64, len(p.Series[0].Y))
	for i, s := range p.Series {
		var outline, back []point
		for k := range below {
			back = append(back, p.at(s.X[k], below[k]))
			below[k] += s.Y[k]
			outline = append(outline, p.at(s.X[k], below[k]))
		}
		slices.Reverse(back)
		p.fill(palette[i%len(palette)], append(outline, back...)...)
	}
}

// drawLegend draws the names of the series, the first on top, and returns the legend's width.
func (p *picture) drawLegend() (width float64) {
	if !slices.ContainsFunc(p.Series, func(s *Series) bool { return s.Name != "" }) {
		return 0
	}
	for i, s := range p.Series {
		top := p.yAxis.to + float64(i)*small*1.5
		left, right, middle := float64(wide), float64(wide+keyWidth), top+small/2
		switch { // as it is in the picture
		case s.Published:
			p.stroke(p.ringPen(i), ring(point{(left + right) / 2, middle}, ringRadius)...)
		case p.Stacked || len(p.Categories) > 0:
			p.fill(palette[i%len(palette)], box(point{left, top}, point{right, top + small})...)
		default:
			p.stroke(p.linePen(i), point{left, middle}, point{right, middle})
		}
		p.write(point{right + margin, top + math.Floor(small*0.8)}, small, start, s.Name)
		width = max(width, textWidth(s.Name, small)+keyWidth+3*margin)
	}
	return width
}
