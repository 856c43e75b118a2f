package report

import (
	"encoding/csv"
	"fmt"
	"image/color"
	"io"
	"path/filepath"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
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
	Dashed bool // for published or theoretical curves
}

// Add appends a point.
func (s *Series) Add(x, y float64) { s.X, s.Y = append(s.X, x), append(s.Y, y) }

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

// plot builds the picture.
func (f *Figure) plot() (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text = f.Title
	p.X.Label.Text, p.Y.Label.Text = f.X, f.Y
	p.Legend.Top = true
	p.Add(plotter.NewGrid())
	if len(f.Cells) > 0 {
		return p, f.addCells(p)
	}
	add := f.addLines
	switch {
	case len(f.Categories) > 0:
		add = f.addBars
	case f.Stacked:
		add = f.addAreas
	}
	err := add(p)
	p.Y.Max += (p.Y.Max - p.Y.Min) * legendLine * float64(len(f.Series)+1) // room for the legend
	return p, err
}

// legendLine is the part of a figure's height that a line of its legend takes.
const legendLine = 0.06

func (f *Figure) addLines(p *plot.Plot) error {
	for i, s := range f.Series {
		line, err := plotter.NewLine(points(s.X, s.Y))
		if err != nil {
			return fmt.Errorf("figure %s, series %s: %w", f.Name, s.Name, err)
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
		p.Legend.Add(s.Name, line)
	}
	return nil
}

func (f *Figure) addBars(p *plot.Plot) error {
	width := vg.Points(max(3, 220/float64(len(f.Categories)*max(1, len(f.Series)))))
	for i, s := range f.Series {
		bars, err := plotter.NewBarChart(plotter.Values(s.Y), width)
		if err != nil {
			return fmt.Errorf("figure %s, series %s: %w", f.Name, s.Name, err)
		}
		bars.Color = palette[i%len(palette)]
		bars.LineStyle.Width = 0
		bars.Offset = width * vg.Length(float64(i)-float64(len(f.Series)-1)/2)
		p.Add(bars)
		p.Legend.Add(s.Name, bars)
	}
	p.NominalX(f.Categories...)
	return nil
}

// addAreas draws each series as the band between the sums below and above it.
func (f *Figure) addAreas(p *plot.Plot) error {
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
		p.Legend.Add(s.Name, area)
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

// save writes the figure into dir as SVG and PNG and returns the file names.
func (f *Figure) save(dir string) error {
	p, err := f.plot()
	if err != nil {
		return err
	}
	for _, ext := range []string{".svg", ".png"} {
		if err := p.Save(16*vg.Centimeter, 10*vg.Centimeter, filepath.Join(dir, f.Name+ext)); err !=
			nil {
			return fmt.Errorf("figure %s: %w", f.Name, err)
		}
	}
	return nil
}

// writeCSV writes the points, a line each: series, x (or category), y; or the cells of a heat map.
func (f *Figure) writeCSV(w io.Writer) error {
	if len(f.Cells) > 0 {
		return f.writeCells(w)
	}
	c := csv.NewWriter(w)
	head := []string{"series", "x", "y"}
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
			rows = append(rows, []string{s.Name, x, Number(y)})
		}
	}
	return c.WriteAll(rows)
}

// Number prints a float with at most six digits, the same on every machine.
func Number(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }
