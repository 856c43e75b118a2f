package drawing

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"

	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"
)

// pixels is how many pixels a point has: 96 to the inch.
const pixels = 96.0 / 72

// PNG is a canvas of pixels.
type PNG struct{ image *image.RGBA }

// NewPNG makes a canvas of a size in points.
func NewPNG(width, height float64) *PNG {
	p := &PNG{image.NewRGBA(image.Rect(0, 0, int(math.Round(width*pixels)), int(math.Round(height*pixels))))}
	draw.Draw(p.image, p.image.Bounds(), image.White, image.Point{}, draw.Src)
	return p
}

// Bytes is the picture as a file.
func (p *PNG) Bytes() ([]byte, error) {
	var b bytes.Buffer
	err := png.Encode(&b, p.image)
	return b.Bytes(), err
}

// Fill implements Canvas.
func (p *PNG) Fill(outline []Point, c color.RGBA) {
	p.draw(outline, 0, c, func(s shape) { s.area(outline) })
}

// Stroke implements Canvas.
func (p *PNG) Stroke(line []Point, pen Pen) {
	half := pen.Width / 2
	p.draw(line, pen.Width, pen.Color, func(s shape) {
		for _, dash := range dashed(line, pen.Dash) {
			for i := 1; i < len(dash); i++ {
				a, b := dash[i-1], dash[i]
				length := math.Hypot(b.X-a.X, b.Y-a.Y)
				if length == 0 {
					continue
				}
				x, y := (b.X-a.X)/length*half, (b.Y-a.Y)/length*half
				if i+1 < len(dash) { // the next one begins in what is drawn
					b = Point{b.X + x, b.Y + y}
				}
				s.area([]Point{{a.X - y, a.Y + x}, {a.X + y, a.Y - x}, {b.X + y, b.Y - x}, {b.X - y, b.Y + x}})
			}
		}
	})
}

// Write implements Canvas.
func (p *PNG) Write(t Text) {
	width := Width(t.Text, t.Size)
	back := [...]float64{0, width / 2, width}[t.Anchor]
	place := func(x, y float64) Point {
		x -= back
		if t.Turned {
			x, y = y, -x
		}
		return Point{t.At.X + x, t.At.Y + y}
	}
	p.draw([]Point{place(0, 0), place(width, 0)}, t.Size, color.RGBA{A: 0xff}, func(s shape) {
		glyphs(t.Text, t.Size, func(x, y float64) (float32, float32) { return s.pixel(place(x, y)) }, s.Rasterizer)
	})
}

// shape is what is being drawn: a part of the picture in which all of it lies.
type shape struct {
	*vector.Rasterizer
	corner image.Point
}

// draw fills a shape, which lies within a distance of some points.
func (p *PNG) draw(around []Point, distance float64, c color.RGBA, make func(shape)) {
	least, most := around[0], around[0]
	for _, at := range around {
		least = Point{min(least.X, at.X), min(least.Y, at.Y)}
		most = Point{max(most.X, at.X), max(most.Y, at.Y)}
	}
	at := func(v, more float64) int { return int(math.Floor(v*pixels + more)) }
	box := image.Rect(at(least.X-distance, 0), at(least.Y-distance, 0), at(most.X+distance, 1), at(most.Y+distance, 1))
	box = box.Intersect(p.image.Bounds())
	if box.Empty() {
		return
	}
	s := shape{vector.NewRasterizer(box.Dx(), box.Dy()), box.Min}
	make(s)
	s.Draw(p.image, box, image.NewUniform(c), image.Point{})
}

// area adds what lies within an outline.
func (s shape) area(outline []Point) {
	for i, at := range outline {
		x, y := s.pixel(at)
		if i == 0 {
			s.MoveTo(x, y)
			continue
		}
		s.LineTo(x, y)
	}
	s.ClosePath()
}

// pixel is where a point of the canvas lies in the shape.
func (s shape) pixel(at Point) (x, y float32) {
	return float32(at.X*pixels - float64(s.corner.X)), float32(at.Y*pixels - float64(s.corner.Y))
}

// length is a number of a font as points.
func length(v fixed.Int26_6) float64 { return float64(v) / 64 }
