package study

import (
	"fmt"
	"math"
)

// heatColors are those of the least cell, of one between, and of the greatest.
var heatColors = [3][3]float64{{0xf7, 0xfb, 0xff}, {0x42, 0x92, 0xc6}, {0x08, 0x30, 0x6b}}

// shade is a color between the lightest, of part 0, and the darkest, of part 1; one hue for all.
func shade(part float64) string {
	i := min(int(part*2), 1)
	mix := func(k int) int {
		a, b := heatColors[i][k], heatColors[i+1][k]
		return int(math.Round(a + (b-a)*(part*2-float64(i))))
	}
	return fmt.Sprintf("#%02X%02X%02X", mix(0), mix(1), mix(2))
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
func (p *picture) drawCells() {
	least, most := p.cellRange()
	for column := range p.Cells[0] {
		for row := range p.Cells {
			part := 0.0 // if all are alike
			if most > least {
				part = (p.Cells[row][column] - least) / (most - least)
			}
			x, y := float64(column), float64(row)
			p.fill(shade(part), box(p.at(x-0.5, y-0.5), p.at(x+0.5, y+0.5))...)
		}
	}
}

// shadeKeys tells which shade stands for what, the greatest on top.
func (p *picture) shadeKeys(key func(name string, draw func(a, b point))) {
	least, most := p.cellRange()
	steps := 5
	if least == most {
		steps = 1
	}
	for i := range steps {
		part := float64(steps-1-i) / float64(max(steps-1, 1))
		key(Number(least+part*(most-least)), func(a, b point) { p.fill(shade(part), box(a, b)...) })
	}
}
