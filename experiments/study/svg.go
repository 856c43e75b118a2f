package study

import (
	"bytes"
	"fmt"
	"html"
	"math"
	"slices"
	"strconv"
	"strings"
)

// point is a place on a picture: points (1/72 inch) from its left and its upper edge.
type point struct{ x, y float64 }

// pen is the style of a line; without a dash, the line is solid.
type pen struct {
	color       string
	width, dash float64 // in points
}

// The alignments of a text at its point. upwards is centered and rotated.
const (
	start   = ""
	middle  = ` text-anchor="middle"`
	end     = ` text-anchor="end"`
	upwards = middle + ` transform="rotate(-90 %s %s)"`
)

// svg builds a picture. Equal calls give equal bytes.
type svg struct{ body bytes.Buffer }

// family names fonts of nearly equal widths; every viewer has one of them.
const family = "'Liberation Sans',Arial,Helvetica,sans-serif"

// document returns the picture on a white ground. Its size is in points.
func (s *svg) document(width, height float64) []byte {
	var ground svg
	ground.fill("#FFFFFF", box(point{}, point{width, height})...)
	w, h := decimal(width), decimal(height)
	head := fmt.Sprintf("<?xml version=\"1.0\"?>\n<svg width=\"%spt\" height=\"%spt\" viewBox=\"0 0 %s %s\" "+
		"xmlns=\"http://www.w3.org/2000/svg\" font-family=\"%s\">\n", w, h, w, h, family)
	return slices.Concat([]byte(head), ground.body.Bytes(), s.body.Bytes(), []byte("</svg>\n"))
}

// fill fills an outline of at least three points.
func (s *svg) fill(color string, outline ...point) {
	fmt.Fprintf(&s.body, "<path d=\"%sZ\" fill=\"%s\"/>\n", path(outline), color)
}

// stroke draws a line along at least two points.
func (s *svg) stroke(p pen, line ...point) {
	dash := ""
	if p.dash > 0 {
		dash = fmt.Sprintf(` stroke-dasharray="%s"`, decimal(p.dash))
	}
	fmt.Fprintf(&s.body, "<path d=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"%s\"%s/>\n", path(line),
		p.color, decimal(p.width), dash)
}

// write writes a text; place is its alignment at the point, which is on the base line.
func (s *svg) write(at point, size float64, place, text string) {
	x, y := decimal(at.x), decimal(at.y)
	if place == upwards {
		place = fmt.Sprintf(upwards, x, y)
	}
	fmt.Fprintf(&s.body, "<text x=\"%s\" y=\"%s\" font-size=\"%s\"%s>%s</text>\n", x, y, decimal(size), place,
		html.EscapeString(text))
}

// path returns a line through points in the syntax of SVG paths.
func path(line []point) []byte {
	var b []byte
	for i, p := range line {
		b = append(b, "ML"[min(i, 1)])
		b = append(append(append(b, decimal(p.x)...), ','), decimal(p.y)...)
	}
	return b
}

// decimal formats a length with at most two decimals.
func decimal(v float64) string {
	return strconv.FormatFloat(math.Round(v*100)/100, 'f', -1, 64)
}

// box returns the outline of a rectangle with two opposite corners.
func box(a, b point) []point { return []point{a, {a.x, b.y}, b, {b.x, a.y}} }

// ring returns the outline of a circle as a closed line.
func ring(center point, radius float64) []point {
	const sides = 24
	ring := make([]point, sides+1)
	for i := range ring {
		sin, cos := math.Sincos(2 * math.Pi * float64(i%sides) / sides)
		ring[i] = point{center.x + radius*cos, center.y + radius*sin}
	}
	return ring
}

// widths are the widths of letters in a common sans-serif font, in 2,048ths of its size. The other
// fonts of family have nearly equal widths.
var widths = [...]struct {
	width   float64
	letters string
}{
	{391, "'"},
	{505, "i"},
	{519, "j"},
	{532, "|"},
	{547, "·"},
	{548, "l"},
	{569, " !/[\\]f"},
	{579, "t"},
	{627, ":;"},
	{648, ",."},
	{682, "()`r"},
	{684, "{}"},
	{727, `"`},
	{817, "I"},
	{960, "^"},
	{1015, "J"},
	{1024, "cksvxyz–"},
	{1124, "≥"},
	{1139, "#$0123456789?L_abdeghnopqu§µ"},
	{1184, "α"},
	{1196, "*+-<=>~×−"},
	{1251, "FTZ"},
	{1264, "σ"},
	{1328, "φ"},
	{1366, "&ABEKPSVXY"},
	{1479, "CDHNRUw"},
	{1593, "GOQ"},
	{1706, "Mm"},
	{1821, "%"},
	{1933, "W"},
	{2079, "@"},
}

// textWidth estimates the width of a text of a size in points.
func textWidth(text string, size float64) float64 {
	sum := 0.0
	for _, letter := range text {
		w := 1536.0 // of letters that the table does not have
		for _, of := range widths {
			if strings.ContainsRune(of.letters, letter) {
				w = of.width
			}
		}
		sum += w
	}
	return sum * size / 2048
}
