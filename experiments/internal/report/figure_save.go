package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"

	"github.com/tarry-mr/tarry/experiments/internal/drawing"
)

// svg gives the picture as SVG that every viewer shows alike.
func (f *Figure) svg() ([]byte, error) {
	p, err := f.picture()
	if err != nil {
		return nil, err
	}
	c := drawing.NewSVG(p.width, high)
	p.draw(c)
	return c.Bytes(), nil
}

// png gives the picture as PNG.
func (f *Figure) png() ([]byte, error) {
	p, err := f.picture()
	if err != nil {
		return nil, err
	}
	c := drawing.NewPNG(p.width, high)
	p.draw(c)
	return c.Bytes()
}

// save writes the figure into dir as SVG and PNG.
func (f *Figure) save(dir string) error {
	for ext, render := range map[string]func() ([]byte, error){".svg": f.svg, ".png": f.png} {
		data, err := render()
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, f.Name+ext), data, 0o666)
		}
		if err != nil {
			return fmt.Errorf("figure %s: %w", f.Name, err)
		}
	}
	return nil
}

// writeCSV writes the points, a line each: series, x (or category), y, the ends of its interval; or
// the cells of a heat map.
func (f *Figure) writeCSV(w io.Writer) error {
	if len(f.Cells) > 0 {
		return f.writeCells(w)
	}
	c := csv.NewWriter(w)
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
	return c.WriteAll(rows)
}

// Number prints a float with at most six digits, the same on every machine.
func Number(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }
