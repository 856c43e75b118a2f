package report

import (
	"encoding/csv"
	"fmt"
	"image/color"
	"io"
	"math"
	"strconv"

	"gonum.org/v1/plot"
	shading "gonum.org/v1/plot/palette"
	"gonum.org/v1/plot/palette/moreland"
	"gonum.org/v1/plot/plotter"
)

// heatShades is how many shades a heat map has.
const heatShades = 64

// cells is a table as a grid with the first row at the bottom; it implements plotter.GridXYZ.
type cells [][]float64

// Dims implements plotter.GridXYZ.
func (c cells) Dims() (columns, rows int) { return len(c[0]), len(c) }

// Z implements plotter.GridXYZ.
func (c cells) Z(column, row int) float64 { return c[row][column] }

// X implements plotter.GridXYZ.
func (c cells) X(column int) float64 { return float64(column) }

// Y implements plotter.GridXYZ.
func (c cells) Y(row int) float64 { return float64(row) }

// addCells draws a heat map, light for the least cell and dark for the greatest, one hue for all.
func (f *Figure) addCells(p *plot.Plot, legend *plot.Legend) error {
	for i, row := range f.Cells {
		if len(row) == 0 || len(row) != len(f.Cells[0]) {
			return fmt.Errorf("figure %s: row %d has %d cells, the first row has %d", f.Name, i,
				len(row), len(f.Cells[0]))
		}
	}
	shades, err := moreland.NewLuminance([]color.Color{
		color.RGBA{0x08, 0x30, 0x6b, 0xff}, color.RGBA{0x42, 0x92, 0xc6, 0xff}, color.RGBA{0xf7, 0xfb, 0xff, 0xff},
	})
	if err != nil {
		return err
	}
	shades.SetMin(0)
	shades.SetMax(1)
	heat := plotter.NewHeatMap(cells(f.Cells), shading.Reverse(shades).Palette(heatShades))
	least, most := heat.Min, heat.Max
	if least == most { // one shade for all
		heat.Max = math.Nextafter(least, math.Inf(1)) + 1
	}
	p.Add(heat)
	addScale(legend, heat.Palette.Colors(), least, most)
	return nil
}

// scaleSteps is how many shades the legend of a heat map shows.
const scaleSteps = 5

// addScale tells which shade stands for what, the greatest on top.
func addScale(legend *plot.Legend, shades []color.Color, least, most float64) {
	steps := scaleSteps
	if least == most {
		steps = 1
	}
	for i := range steps {
		part := 1 - float64(i)/(scaleSteps-1)
		if steps == 1 {
			part = 0
		}
		swatch := &plotter.Polygon{Color: shades[int(part*float64(len(shades)-1))]}
		legend.Add(Number(least+float64(part*(most-least))), swatch)
	}
}

// writeCells writes the table, a line for each cell: row, column, value.
func (f *Figure) writeCells(w io.Writer) error {
	lines := [][]string{{f.Y, f.X, "value"}}
	for i, row := range f.Cells {
		for k, v := range row {
			lines = append(lines, []string{strconv.Itoa(i), strconv.Itoa(k), Number(v)})
		}
	}
	return csv.NewWriter(w).WriteAll(lines)
}
