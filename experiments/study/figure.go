package study

import (
	"math"
	"strconv"
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

// interval returns the interval of a point, if it has one.
func (s *Series) interval(i int) (low, high float64, ok bool) {
	if i >= len(s.Low) || math.IsNaN(s.Low[i]) || !(s.High[i] > s.Low[i]) {
		return 0, 0, false
	}
	return s.Low[i], s.High[i], true
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
