package report

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

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

// plot builds the picture and its legend, which stands beside it.
func (f *Figure) plot() (*plot.Plot, *plot.Legend, error) {
	p, legend := plot.New(), plot.NewLegend()
	p.Title.Text = f.Title
	p.X.Label.Text, p.Y.Label.Text = f.X, f.Y
	p.Add(plotter.NewGrid())
	for _, font := range []*font.Font{
		&p.Title.TextStyle.Font, &p.X.Label.TextStyle.Font, &p.Y.Label.TextStyle.Font,
		&p.X.Tick.Label.Font, &p.Y.Tick.Label.Font, &legend.TextStyle.Font,
	} {
		font.Variant = "Sans"
	}
	if len(f.Cells) > 0 {
		return p, &legend, f.addCells(p, &legend)
	}
	add := f.addLines
	switch {
	case len(f.Categories) > 0:
		add = f.addBars
	case f.Stacked:
		add = f.addAreas
	}
	err := add(p, &legend)
	f.bound(p)
	return p, &legend, err
}

// bound ends an axis of parts or per cent where they end, and has other axes of what is not negative
// begin at 0.
func (f *Figure) bound(p *plot.Plot) {
	if p.Y.Min >= 0 {
		p.Y.Min = 0
	}
	most := 0.0
	switch {
	case strings.Contains(f.Y, "%"):
		most = 100
	case strings.HasPrefix(f.Y, "part of"):
		most = 1
	}
	if most > 0 && p.Y.Max <= most*1.05 && p.Y.Max > most/2 {
		p.Y.Max = most
	}
	if len(f.Categories) > 0 { // room for the outer bars
		p.X.Min, p.X.Max = -0.6, float64(len(f.Categories))-0.4
	}
}

func (f *Figure) addLines(p *plot.Plot, legend *plot.Legend) error {
	for i, s := range f.Series {
		if s.Published {
			if err := f.addPublished(p, legend, i, 0); err != nil {
				return err
			}
			continue
		}
		line, err := plotter.NewLine(points(s.X, s.Y))
		if err != nil {
			return f.fault(s, err)
		}
		line.Color = palette[i%len(palette)]
		line.Width = vg.Points(1.5)
		if s.Dashed {
			line.Dashes = []vg.Length{vg.Points(5), vg.Points(3)}
		}
		if f.Steps {
			line.StepStyle = plotter.PostStep
		}
		p.Add(line)
		legend.Add(s.Name, line)
		if err := f.addIntervals(p, i, 0); err != nil {
			return err
		}
	}
	return nil
}

func (f *Figure) addBars(p *plot.Plot, legend *plot.Legend) error {
	groups := 0
	for _, s := range f.Series {
		if !s.Published {
			groups++
		}
	}
	const group = 0.8 // of the room of a category
	width := group / float64(max(1, groups))
	at := 0
	for i, s := range f.Series {
		if s.Published { // over the bars before it
			if err := f.addPublished(p, legend, i, (float64(at-1)-float64(groups-1)/2)*width); err != nil {
				return err
			}
			continue
		}
		shift := (float64(at) - float64(groups-1)/2) * width
		bars, err := f.bars(i, shift, width)
		if err != nil {
			return f.fault(s, err)
		}
		p.Add(bars)
		legend.Add(s.Name, bars)
		if err := f.addIntervals(p, i, shift); err != nil {
			return err
		}
		at++
	}
	p.NominalX(f.Categories...)
	p.X.Tick.Label.Font.Variant = "Sans"
	return nil
}

// bars are those of a series: rectangles as wide as the axis has them, whatever the picture's size.
func (f *Figure) bars(series int, shift, width float64) (*plotter.Polygon, error) {
	var list []plotter.XYer
	for c, y := range f.Series[series].Y {
		left := float64(c) + shift - width/2
		list = append(list, plotter.XYs{{X: left}, {X: left, Y: y}, {X: left + width, Y: y}, {X: left + width}})
	}
	bars, err := plotter.NewPolygon(list...)
	if err != nil {
		return nil, err
	}
	bars.Color = palette[series%len(palette)]
	bars.LineStyle.Width = 0
	return bars, nil
}

// fault is an error about a series.
func (f *Figure) fault(s Series, err error) error {
	return fmt.Errorf("figure %s, series %s: %w", f.Name, s.Name, err)
}

// at gives the places of a series' points on the X axis.
func (f *Figure) at(s *Series, shift float64) []float64 {
	if len(f.Categories) == 0 {
		return s.X
	}
	var x []float64
	for c := range s.Y {
		x = append(x, float64(c)+shift)
	}
	return x
}

// intervals are the points of a series that have an interval; it implements plotter.XYer and
// plotter.YErrorer.
type intervals struct {
	plotter.XYs
	plotter.YErrors
}

// addIntervals draws the intervals of a series.
func (f *Figure) addIntervals(p *plot.Plot, series int, shift float64) error {
	s := &f.Series[series]
	var with intervals
	x := f.at(s, shift)
	for i := range min(len(s.Low), len(s.Y)) {
		if !math.IsNaN(s.Low[i]) && s.High[i] > s.Low[i] {
			with.XYs = append(with.XYs, plotter.XY{X: x[i], Y: s.Y[i]})
			e := struct{ Low, High float64 }{s.Y[i] - s.Low[i], s.High[i] - s.Y[i]}
			with.YErrors = append(with.YErrors, e)
		}
	}
	if len(with.XYs) == 0 {
		return nil
	}
	whiskers, err := plotter.NewYErrorBars(with)
	if err != nil {
		return f.fault(*s, err)
	}
	if len(f.Categories) == 0 {
		whiskers.Color = palette[series%len(palette)]
	}
	p.Add(whiskers)
	return nil
}

// addPublished draws points that a paper states: rings, black for there are bars behind them, or in
// the color of the series before them, which is ours.
func (f *Figure) addPublished(p *plot.Plot, legend *plot.Legend, series int, shift float64) error {
	s := &f.Series[series]
	dots, err := plotter.NewScatter(points(f.at(s, shift), s.Y))
	if err != nil {
		return f.fault(*s, err)
	}
	dots.Shape, dots.Radius = draw.RingGlyph{}, vg.Points(4)
	if len(f.Categories) == 0 && series > 0 {
		dots.Color = palette[(series-1)%len(palette)]
	}
	p.Add(dots)
	legend.Add(s.Name, dots)
	return nil
}

// addAreas draws each series as the band between the sums below and above it.
func (f *Figure) addAreas(p *plot.Plot, legend *plot.Legend) error {
	if len(f.Series) == 0 {
		return nil
	}
	below := make([]float64, len(f.Series[0].Y))
	for i, s := range f.Series {
		if len(s.Y) != len(below) {
			return fmt.Errorf("figure %s, series %s: %d points, the first series has %d", f.Name,
				s.Name, len(s.Y), len(below))
		}
		above := make([]float64, len(below))
		outline := make(plotter.XYs, 0, 2*len(below))
		for k := range below {
			above[k] = below[k] + s.Y[k]
			outline = append(outline, plotter.XY{X: s.X[k], Y: above[k]})
		}
		for k, b := range slices.Backward(below) {
			outline = append(outline, plotter.XY{X: s.X[k], Y: b})
		}
		area, err := plotter.NewPolygon(outline)
		if err != nil {
			return fmt.Errorf("figure %s, series %s: %w", f.Name, s.Name, err)
		}
		area.Color = palette[i%len(palette)]
		area.LineStyle.Width = 0
		p.Add(area)
		legend.Add(s.Name, area)
		below = above
	}
	return nil
}

func points(x, y []float64) plotter.XYs {
	xy := make(plotter.XYs, len(x))
	for i := range xy {
		xy[i] = plotter.XY{X: x[i], Y: y[i]}
	}
	return xy
}
