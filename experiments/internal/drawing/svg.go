package drawing

import (
	"bytes"
	"fmt"
	"html"
	"image/color"
	"math"
	"strconv"
)

// family names fonts of nearly the same widths, one of which every viewer has.
const family = "'Liberation Sans',Arial,Helvetica,sans-serif"

// SVG is a canvas that becomes a document.
type SVG struct {
	width, height float64
	body          bytes.Buffer
}

// NewSVG makes a canvas of a size in points.
func NewSVG(width, height float64) *SVG {
	s := &SVG{width: width, height: height}
	s.Fill(Box(Point{}, Point{width, height}), color.RGBA{0xff, 0xff, 0xff, 0xff})
	return s
}

// Bytes is the document.
func (s *SVG) Bytes() []byte {
	w, h := decimal(s.width), decimal(s.height)
	var b bytes.Buffer
	fmt.Fprintf(&b, "<?xml version=\"1.0\"?>\n<svg width=\"%spt\" height=\"%spt\" viewBox=\"0 0 %s %s\" "+
		"xmlns=\"http://www.w3.org/2000/svg\" font-family=\"%s\">\n", w, h, w, h, family)
	b.Write(s.body.Bytes())
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// Fill implements Canvas.
func (s *SVG) Fill(outline []Point, c color.RGBA) {
	fmt.Fprintf(&s.body, "<path d=\"%sZ\" fill=\"%s\"/>\n", path(outline), hex(c))
}

// Stroke implements Canvas.
func (s *SVG) Stroke(line []Point, pen Pen) {
	dash := ""
	if pen.Dash > 0 {
		dash = fmt.Sprintf(` stroke-dasharray="%s"`, decimal(pen.Dash))
	}
	fmt.Fprintf(&s.body, "<path d=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"%s\"%s/>\n", path(line),
		hex(pen.Color), decimal(pen.Width), dash)
}

// Write implements Canvas.
func (s *SVG) Write(t Text) {
	more := ""
	if t.Anchor != Start {
		more = fmt.Sprintf(` text-anchor="%s"`, [...]string{"start", "middle", "end"}[t.Anchor])
	}
	x, y := decimal(t.At.X), decimal(t.At.Y)
	if t.Turned {
		more += fmt.Sprintf(` transform="rotate(-90 %s %s)"`, x, y)
	}
	fmt.Fprintf(&s.body, "<text x=\"%s\" y=\"%s\" font-size=\"%s\"%s>%s</text>\n", x, y, decimal(t.Size), more,
		html.EscapeString(t.Text))
}

// path is a line in SVG's words.
func path(line []Point) []byte {
	var b []byte
	for i, p := range line {
		b = append(b, "ML"[min(i, 1)])
		b = append(append(append(b, decimal(p.X)...), ','), decimal(p.Y)...)
	}
	return b
}

// decimal writes a length with at most two decimals.
func decimal(v float64) string {
	return strconv.FormatFloat(math.Round(v*100)/100, 'f', -1, 64)
}

func hex(c color.RGBA) string { return fmt.Sprintf("#%02X%02X%02X", c.R, c.G, c.B) }
