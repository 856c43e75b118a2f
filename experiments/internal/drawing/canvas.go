package drawing

import (
	"image/color"
	"math"
)

// Point is a place on a canvas: points (1/72 inch) from its left and its upper edge.
type Point struct{ X, Y float64 }

// Pen is how a line is drawn.
type Pen struct {
	Color color.RGBA
	Width float64 // in points
	// Dash is the length of dashes and of the gaps between them, in points; 0 is an unbroken line.
	Dash float64
}

// Anchor tells which part of a text stands at its place.
type Anchor int

// The parts of a text.
const (
	Start Anchor = iota
	Middle
	End
)

// Text is a line of text.
type Text struct {
	At     Point // on the base line
	Text   string
	Size   float64 // height of the font in points
	Anchor Anchor
	Turned bool // to read upwards
}

// Canvas is a white picture to draw on. It is not safe for concurrent use.
type Canvas interface {
	// Fill fills what lies within an outline of at least three points.
	Fill(outline []Point, c color.RGBA)
	// Stroke draws a line along at least two points.
	Stroke(line []Point, pen Pen)
	// Write writes a text in black.
	Write(t Text)
}

// Ring is the outline of a circle, as a line that ends where it begins.
func Ring(center Point, radius float64) []Point {
	const sides = 24
	ring := make([]Point, sides+1)
	for i := range ring {
		sin, cos := math.Sincos(2 * math.Pi * float64(i%sides) / sides)
		ring[i] = Point{center.X + radius*cos, center.Y + radius*sin}
	}
	return ring
}

// Box is the outline of a rectangle with two opposite corners.
func Box(a, b Point) []Point {
	return []Point{a, {a.X, b.Y}, b, {b.X, a.Y}}
}

// dashed cuts a line into its dashes, all of it if it has none.
func dashed(line []Point, length float64) [][]Point {
	if length <= 0 {
		return [][]Point{line}
	}
	var dashes [][]Point
	now, left := []Point{line[0]}, length
	drawn := true
	for i := 1; i < len(line); i++ {
		a, b := line[i-1], line[i]
		for rest := math.Hypot(b.X-a.X, b.Y-a.Y); rest >= left; rest = math.Hypot(b.X-a.X, b.Y-a.Y) {
			a = Point{a.X + (b.X-a.X)*left/rest, a.Y + (b.Y-a.Y)*left/rest}
			if drawn {
				dashes = append(dashes, append(now, a))
			}
			drawn, now, left = !drawn, []Point{a}, length
		}
		left -= math.Hypot(b.X-a.X, b.Y-a.Y)
		if drawn {
			now = append(now, b)
		}
	}
	if drawn && len(now) > 1 {
		dashes = append(dashes, now)
	}
	return dashes
}
