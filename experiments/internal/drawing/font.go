package drawing

import (
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"
)

// goFont is the font of PNG pictures, read when the first of them, or the first width, needs it.
var goFont = sync.OnceValue(func() *sfnt.Font {
	f, err := sfnt.Parse(goregular.TTF)
	if err != nil {
		panic(err) // it is part of the program
	}
	return f
})

// ems are the units in which glyphs are asked for: a font of 1,024 points.
const ems = 1024

// Width is how wide a text of a size in points is in PNG pictures, and about in SVG.
func Width(text string, size float64) float64 {
	var b sfnt.Buffer
	sum := 0.0
	for _, r := range text {
		sum += advance(&b, r)
	}
	return sum * size / ems
}

// advance is how far a rune moves the pen, in ems.
func advance(b *sfnt.Buffer, r rune) float64 {
	i, err := goFont().GlyphIndex(b, r)
	if err != nil {
		return 0
	}
	a, err := goFont().GlyphAdvance(b, i, fixed.I(ems), font.HintingNone)
	if err != nil {
		return 0
	}
	return length(a)
}

// glyphs gives the outlines of a text's letters to a rasterizer; place puts a point of a text that
// begins at 0, 0 where it belongs.
func glyphs(text string, size float64, place func(x, y float64) (float32, float32), to *vector.Rasterizer) {
	var b sfnt.Buffer
	pen, scale := 0.0, size/ems
	at := func(p fixed.Point26_6) (float32, float32) {
		return place((pen+length(p.X))*scale, length(p.Y)*scale)
	}
	for _, r := range text {
		i, err := goFont().GlyphIndex(&b, r)
		if err != nil {
			continue
		}
		outline, err := goFont().LoadGlyph(&b, i, fixed.I(ems), nil)
		if err != nil {
			continue
		}
		for _, s := range outline {
			x, y := at(s.Args[0])
			switch s.Op {
			case sfnt.SegmentOpMoveTo:
				to.MoveTo(x, y)
			case sfnt.SegmentOpLineTo:
				to.LineTo(x, y)
			case sfnt.SegmentOpQuadTo:
				x1, y1 := at(s.Args[1])
				to.QuadTo(x, y, x1, y1)
			case sfnt.SegmentOpCubeTo:
				x1, y1 := at(s.Args[1])
				x2, y2 := at(s.Args[2])
				to.CubeTo(x, y, x1, y1, x2, y2)
			}
		}
		pen += advance(&b, r)
	}
}
