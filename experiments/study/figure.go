package study

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Figure is a plot of series over one axis. Study.Plot returns a new one. The other methods add
// points to the series that they name, and a series at its first point.
type Figure struct {
	Name   string // file name without extension
	Title  string
	X, Y   string // axis labels with units
	Series []*Series
	// Categories, if given, makes a bar chart: X of a point is the index of its category.
	Categories []string
	// Stacked draws the series as areas on top of one another, first series at the bottom; all must
	// have the same X.
	Stacked bool
	// Steps draws each series as a staircase, for distribution functions and shares over time.
	Steps bool
}

// Series is one line, area or group of bars.
type Series struct {
	Name   string
	Points []Point
	Dashed bool // for theoretical curves
	// Published draws points without a line or bar, for published values.
	Published bool
}

// Point is a point of a series. Low and High are the ends of the 95 % interval of Y, drawn as an
// error bar; NaN if there is none.
type Point struct{ X, Y, Low, High float64 }

// series returns the series of this name, which it adds if the figure has none.
func (f *Figure) series(name string) *Series {
	i := slices.IndexFunc(f.Series, func(s *Series) bool { return s.Name == name })
	if i < 0 {
		i = len(f.Series)
		f.Series = append(f.Series, &Series{Name: name})
	}
	return f.Series[i]
}

// Add adds a point without an interval and returns its series.
func (f *Figure) Add(series string, x, y float64) *Series {
	return f.AddSample(series, x, BySeed([]float64{y}))
}

// AddSample adds a point with its interval and returns its series.
func (f *Figure) AddSample(series string, x float64, y Sample) *Series {
	s := f.series(series)
	low, high := y.Interval()
	s.Points = append(s.Points, Point{x, y.Mean(), low, high})
	return s
}

// Bar adds a bar without an interval and returns its series. The categories are in the order of
// their first bars.
func (f *Figure) Bar(series, category string, y float64) *Series {
	return f.Add(series, f.category(category), y)
}

// BarSample adds a bar with its interval and returns its series.
func (f *Figure) BarSample(series, category string, y Sample) *Series {
	return f.AddSample(series, f.category(category), y)
}

// category returns the X value of a category, which it adds if the figure does not have it.
func (f *Figure) category(name string) float64 {
	if !slices.Contains(f.Categories, name) {
		f.Categories = append(f.Categories, name)
	}
	return float64(slices.Index(f.Categories, name))
}

// Distribution adds the empirical distribution function of ascending numbers, as a staircase of at
// most 200 points.
func (f *Figure) Distribution(series string, x []float64) {
	f.Steps = true
	for i := 0; i < len(x); i += max(1, len(x)/200) {
		f.Add(series, x[i], float64(i+1)/float64(len(x)))
	}
}

// csv returns a line for each point: series, x (or category), y, the ends of its interval.
func (f *Figure) csv() [][]string {
	head := []string{"series", "x", "y", "low95", "high95"}
	if f.bars() {
		head[1] = "category"
	}
	rows := [][]string{head}
	for _, s := range f.Series {
		for _, p := range s.Points {
			row := []string{s.Name, Number(p.X), Number(p.Y), "", ""}
			if f.bars() {
				row[1] = f.Categories[int(p.X)]
			}
			if !math.IsNaN(p.Low) {
				row[3], row[4] = Number(p.Low), Number(p.High)
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// Number formats a float with at most six digits, the same on every machine.
func Number(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }

// axis maps a range of values to a range of the picture, in points. Without a value, min is above
// max.
type axis struct{ min, max, from, to float64 }

// at returns the place of a value on the picture.
func (a *axis) at(v float64) float64 { return a.from + (v-a.min)/(a.max-a.min)*(a.to-a.from) }

// add extends the range to values, which must be finite.
func (a *axis) add(values ...float64) error {
	for _, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("%v has no place on an axis", v)
		}
		a.min, a.max = min(a.min, v), max(a.max, v)
	}
	return nil
}

// widen gives a single value room on both sides. An empty range becomes that from 0 to 1.
func (a *axis) widen() {
	switch {
	case a.min > a.max:
		a.min, a.max = 0, 1
	case a.min == a.max:
		a.min, a.max = a.min-1, a.max+1
	}
}

// ticks returns about five round numbers within the range.
func (a *axis) ticks() []float64 {
	step := math.Pow(10, math.Floor(math.Log10((a.max-a.min)/5)))
	for _, more := range []float64{2, 2.5, 2} { // 1, 2, 5, 10
		if (a.max-a.min)/step > 6 {
			step *= more
		}
	}
	const near = 1e-9 // of a step: what rounding loses
	var list []float64
	for i := math.Ceil(a.min/step - near); i*step <= a.max+near*step; i++ {
		list = append(list, i*step+0) // never -0
	}
	return list
}

// axes returns the axes of the figure. A Y axis of fractions or percentages ends at most at 1 or
// 100. Without negative values, a Y axis begins at 0.
func (f *Figure) axes() (x, y axis, err error) {
	x, y = axis{min: inf, max: -inf}, axis{min: inf, max: -inf}
	for i, s := range f.Series {
		if n, first := len(s.Points), len(f.Series[0].Points); f.Stacked && n != first {
			return x, y, fmt.Errorf("figure %s, series %s: %d points, the first series has %d",
				f.Name, s.Name, n, first)
		}
		for _, m := range f.marks(i) {
			if err := cmp.Or(x.add(m.x), y.add(m.y, m.low, m.high, m.from)); err != nil {
				return x, y, fmt.Errorf("figure %s, series %s: %w", f.Name, s.Name, err)
			}
		}
	}
	if y.min >= 0 && y.max > 0 {
		y.min = 0
	}
	x.widen()
	y.widen()
	most := 0.0
	switch {
	case strings.Contains(f.Y, "%"):
		most = 100
	case strings.HasPrefix(f.Y, "part of"):
		most = 1
	}
	if y.max <= most*1.05 && y.max > most/2 {
		y.max = most
	}
	if f.bars() { // room for the outer bars
		x.min, x.max = -0.6, float64(len(f.Categories))-0.4
	}
	return x, y, nil
}

// mark is a point of a series as it is drawn: its X and Y values, the Y value at which its bar or
// area begins (y for a line), and the ends of its interval. Without an interval both are y.
type mark struct{ x, y, from, low, high float64 }

// marks returns the points of a series as they are drawn.
func (f *Figure) marks(i int) (list []mark) {
	_, shift := f.bar(i)
	for k, p := range f.Series[i].Points {
		m := mark{x: p.X, y: p.Y, from: p.Y, low: p.Low, high: p.High}
		switch {
		case f.bars():
			m.x, m.from = m.x+shift, 0
		case f.Stacked:
			m.from = 0
			for _, below := range f.Series[:i] {
				m.from += below.Points[k].Y
			}
			m.y += m.from
		}
		if !(m.high > m.low) {
			m.low, m.high = m.y, m.y
		}
		list = append(list, m)
	}
	return list
}

func (f *Figure) bars() bool { return len(f.Categories) > 0 }

// bar returns the width of bars, and how far those of series i are from the middle of their
// category. Published values are over the bars of the series before them.
func (f *Figure) bar(i int) (width, shift float64) {
	groups, at := 0, -1
	for k, s := range f.Series {
		if !s.Published {
			groups++
			if k <= i {
				at++
			}
		}
	}
	width = 0.8 / float64(max(1, groups)) // of the room of a category
	return width, (float64(at) - float64(groups-1)/2) * width
}
