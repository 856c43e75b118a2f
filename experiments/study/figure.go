package study

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Figure is a plot of series over one axis. Study.Plot returns a new one. Line, Dashed and
// Published add series, and Bars adds categories.
type Figure struct {
	Name   string // file name without extension
	Title  string
	X, Y   string // axis labels with units
	Series []*Series
	// Categories, if given, makes a bar chart: Series[i].Y[c] is the bar of series i in category c
	// and X is not used.
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
	X, Y   []float64
	Dashed bool // for theoretical curves
	// Low and High, if given, are the ends of the 95 % intervals of Y, drawn as error bars; NaN
	// where there is none.
	Low, High []float64
	// Published draws points without a line or bar, for published values.
	Published bool
}

// Line adds a series, drawn as a line, bars or an area, depending on the figure.
func (f *Figure) Line(name string) *Series {
	s := &Series{Name: name}
	f.Series = append(f.Series, s)
	return s
}

// Dashed adds a series for a theoretical curve.
func (f *Figure) Dashed(name string) *Series {
	s := f.Line(name)
	s.Dashed = true
	return s
}

// Published adds a series of published values.
func (f *Figure) Published(name string) *Series {
	s := f.Line(name)
	s.Published = true
	return s
}

// Lines adds series of these names.
func (f *Figure) Lines(names ...string) *Figure {
	for _, name := range names {
		f.Line(name)
	}
	return f
}

// Bars makes the figure a bar chart of these categories.
func (f *Figure) Bars(categories ...string) *Figure {
	f.Categories = append(f.Categories, categories...)
	return f
}

// Distribution adds the empirical distribution function of ascending numbers, as a staircase of at
// most 200 points.
func (f *Figure) Distribution(name string, x []float64) {
	f.Steps = true
	s, step := f.Line(name), max(1, len(x)/200)
	for i := 0; i < len(x); i += step {
		s.Add(x[i], float64(i+1)/float64(len(x)))
	}
}

// Add appends a point without an interval.
func (s *Series) Add(x, y float64) { s.X, s.Y = append(s.X, x), append(s.Y, y) }

// AddSample appends a point with its interval.
func (s *Series) AddSample(x float64, y Sample) {
	s.X = append(s.X, x)
	s.AddBar(y)
}

// AddBar appends a bar with its interval.
func (s *Series) AddBar(y Sample) {
	low, high := y.Interval()
	s.Y, s.Low, s.High = append(s.Y, y.Mean()), append(s.Low, low), append(s.High, high)
}

// csv returns a line for each point: series, x (or category), y, the ends of its interval.
func (f *Figure) csv() [][]string {
	head := []string{"series", "x", "y", "low95", "high95"}
	if len(f.Categories) > 0 {
		head[1] = "category"
	}
	rows := [][]string{head}
	for _, s := range f.Series {
		for i, y := range s.Y {
			x := ""
			if len(f.Categories) > 0 {
				x = f.Categories[i]
			} else {
				x = Number(s.X[i])
			}
			low, high := "", ""
			if i < len(s.Low) && !math.IsNaN(s.Low[i]) {
				low, high = Number(s.Low[i]), Number(s.High[i])
			}
			rows = append(rows, []string{s.Name, x, Number(y), low, high})
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
	x, y = axis{min: math.Inf(1), max: math.Inf(-1)}, axis{min: math.Inf(1), max: math.Inf(-1)}
	for i := range f.Series {
		if err := f.extend(i, &x, &y); err != nil {
			return x, y, fmt.Errorf("figure %s, series %s: %w", f.Name, f.Series[i].Name, err)
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

// extend extends the axes to the points of a series and their intervals.
func (f *Figure) extend(i int, x, y *axis) error {
	s := f.Series[i]
	if len(s.Y) == 0 || !f.bars() && len(s.X) != len(s.Y) {
		return fmt.Errorf("%d points on the X axis, %d on the Y axis", len(s.X), len(s.Y))
	}
	if first := f.Series[0]; f.Stacked && len(first.Y) != len(s.Y) {
		return fmt.Errorf("%d points, the first series has %d", len(s.Y), len(first.Y))
	}
	for _, m := range f.marks(i) {
		values := []float64{m.y, m.low, m.high}
		if f.bars() || f.Stacked {
			values = append(values, m.from)
		}
		if err := cmp.Or(x.add(m.x), y.add(values...)); err != nil {
			return err
		}
	}
	return nil
}

// mark is a point of a series as it is drawn: its X and Y values, the Y value at which its bar or
// area begins, and the ends of its interval. Without an interval both are y.
type mark struct{ x, y, from, low, high float64 }

// marks returns the points of a series as they are drawn.
func (f *Figure) marks(i int) []mark {
	s := f.Series[i]
	list := make([]mark, len(s.Y))
	_, shift := f.bar(i)
	for k, v := range s.Y {
		m := &list[k]
		if f.bars() {
			m.x = float64(k) + shift
		} else {
			m.x = s.X[k]
		}
		if f.Stacked {
			for _, below := range f.Series[:i] {
				m.from += below.Y[k]
			}
		}
		m.y = m.from + v
		m.low, m.high = m.y, m.y
		if k < len(s.Low) && s.High[k] > s.Low[k] {
			m.low, m.high = s.Low[k], s.High[k]
		}
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
