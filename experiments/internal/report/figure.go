package report

import "image/color"

// Figure is a plot of some series over one axis.
type Figure struct {
	Name   string // file name without extension
	Title  string
	X, Y   string // axis labels with units
	Series []Series
	// Categories, if given, makes a bar chart: Series[i].Y[c] is the bar of series i in category c
	// and X is not used.
	Categories []string
	// Cells, if given, makes a heat map: Cells[y][x], all rows as long as the first; Series is not
	// used.
	Cells [][]float64
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
	// Low and High, if given, are the ends of the 95 % intervals of Y, drawn as error bars; NaN where
	// there is none.
	Low, High []float64
	// Published draws points without a line or bar: what a paper states.
	Published bool
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

// palette is the Okabe–Ito set: told apart by color-blind readers.
var palette = [...]color.RGBA{
	{0x00, 0x72, 0xb2, 0xff},
	{0xe6, 0x9f, 0x00, 0xff},
	{0x00, 0x9e, 0x73, 0xff},
	{0xcc, 0x79, 0xa7, 0xff},
	{0xd5, 0x5e, 0x00, 0xff},
	{0x56, 0xb4, 0xe9, 0xff},
	{0xf0, 0xe4, 0x42, 0xff},
	{0x00, 0x00, 0x00, 0xff},
}
