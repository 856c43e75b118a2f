package report

import (
	"encoding/csv"
	"fmt"
	"image/color"
	"io"
	"math"
	"strconv"

	"github.com/tarry-mr/tarry/experiments/internal/drawing"
)

// heatColors are those of the least cell, of one between, and of the greatest.
var heatColors = [...]color.RGBA{{0xf7, 0xfb, 0xff, 0xff}, {0x42, 0x92, 0xc6, 0xff}, {0x08, 0x30, 0x6b, 0xff}}

// shade is a color between the lightest, of part 0, and the darkest, of part 1; one hue for all.
func shade(part float64) color.RGBA {
	i := min(int(part*2), 1)
	a, b := heatColors[i], heatColors[i+1]
	mix := func(a, b uint8) uint8 {
		return uint8(math.Round(float64(a) + (float64(b)-float64(a))*(part*2-float64(i))))
	}
	return color.RGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 0xff}
}

// checkCells refuses a heat map whose rows differ in length, or that holds what is no number.
func (f *Figure) checkCells() error {
	for i, row := range f.Cells {
		if len(row) == 0 || len(row) != len(f.Cells[0]) {
			return fmt.Errorf("figure %s: row %d has %d cells, the first row has %d", f.Name, i,
				len(row), len(f.Cells[0]))
		}
		for k, v := range row {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("figure %s: cell %d of row %d is %v", f.Name, k, i, v)
			}
		}
	}
	return nil
}

// cellRange is the least and the greatest cell.
func (f *Figure) cellRange() (least, most float64) {
	least, most = math.Inf(1), math.Inf(-1)
	for _, row := range f.Cells {
		for _, v := range row {
			least, most = min(least, v), max(most, v)
		}
	}
	return least, most
}

// drawCells draws a heat map, light for the least cell and dark for the greatest, the first row at
// the bottom.
func (p *picture) drawCells(c drawing.Canvas) {
	least, most := p.cellRange()
	for column := range p.Cells[0] {
		for row := range p.Cells {
			part := 0.0 // if all are alike
			if most > least {
				part = (p.Cells[row][column] - least) / (most - least)
			}
			x, y := float64(column), float64(row)
			c.Fill(drawing.Box(p.at(x-0.5, y-0.5), p.at(x+0.5, y+0.5)), shade(part))
		}
	}
}

// shadeKeys tell which shade stands for what, the greatest on top.
func (f *Figure) shadeKeys() (keys []key) {
	least, most := f.cellRange()
	steps := 5
	if least == most {
		steps = 1
	}
	for i := range steps {
		part := float64(steps-1-i) / float64(max(steps-1, 1))
		keys = append(keys, key{Number(least + part*(most-least)), func(c drawing.Canvas, box [2]drawing.Point) {
			c.Fill(drawing.Box(box[0], box[1]), shade(part))
		}})
	}
	return keys
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
