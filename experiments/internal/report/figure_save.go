package report

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"image/color"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// The size of a picture and of the room for its legend.
const (
	wide, high = 16 * vg.Centimeter, 10 * vg.Centimeter
	margin     = 3 * vg.Millimeter
)

// draw draws the picture on a canvas, its legend beside it, so that neither covers the other.
func (f *Figure) draw(make func(w, h vg.Length) vg.CanvasSizer) (vg.CanvasSizer, error) {
	p, legend, err := f.plot()
	if err != nil {
		return nil, err
	}
	side := vg.Length(0)
	named := func(s Series) bool { return s.Name != "" }
	if len(f.Cells) > 0 || slices.ContainsFunc(f.Series, named) {
		legend.Top, legend.Left = true, true
		legend.Padding = vg.Millimeter
		box := legend.Rectangle(draw.New(make(wide, high)))
		side = box.Size().X + 2*margin
	}
	out := make(wide+side, high)
	all := draw.New(out)
	all.SetColor(color.White)
	all.Fill(all.Rectangle.Path())
	p.Draw(draw.Crop(all, 0, -side-margin, 0, -margin))
	if side > 0 {
		legend.Draw(draw.Crop(all, wide+margin/2, -margin/2, margin, -margin*3))
	}
	return out, nil
}

// svg gives the picture as SVG that every viewer shows alike: with fonts of the same widths named
// behind the one it was set with.
func (f *Figure) svg() ([]byte, error) {
	c, err := f.draw(func(w, h vg.Length) vg.CanvasSizer { return vgsvg.New(w, h) })
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if _, err := c.(*vgsvg.Canvas).WriteTo(&b); err != nil {
		return nil, err
	}
	return bytes.ReplaceAll(b.Bytes(), []byte("font-family:Liberation Sans;"),
		[]byte("font-family:'Liberation Sans',Arial,Helvetica,sans-serif;")), nil
}

// png gives the picture as PNG.
func (f *Figure) png() ([]byte, error) {
	c, err := f.draw(func(w, h vg.Length) vg.CanvasSizer { return vgimg.New(w, h) })
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	_, err = vgimg.PngCanvas{Canvas: c.(*vgimg.Canvas)}.WriteTo(&b)
	return b.Bytes(), err
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
