package drawing

import (
	"bytes"
	"image/color"
	"image/png"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

var blue = color.RGBA{0x00, 0x72, 0xb2, 0xff}

// scene draws one of each: a box, a line along the lower edge, a text and one turned, and what lies
// beside the canvas.
func scene(c Canvas) {
	c.Fill(Box(Point{10, 10}, Point{30, 20}), blue)
	c.Stroke([]Point{{0, 90}, {50, 90}, {100, 90}}, Pen{Color: blue, Width: 4})
	c.Write(Text{At: Point{50, 50}, Text: "<WW>", Size: 20})
	c.Write(Text{At: Point{20, 80}, Text: "WW", Size: 10, Anchor: Middle, Turned: true})
	c.Fill(Box(Point{-20, 150}, Point{-10, 160}), blue)
	c.Stroke([]Point{{95, -5}, {300, -5}}, Pen{Color: blue, Width: 1})
	c.Stroke(Ring(Point{100, 0}, 10), Pen{Color: blue, Width: 1, Dash: 3})
}

func TestPixels(t *testing.T) {
	c := NewPNG(100, 100)
	scene(c)
	data, err := c.Bytes()
	require.NoError(t, err)
	picture, err := png.Decode(bytes.NewReader(data))
	require.NoError(t, err)
	at := func(x, y float64) color.Color { return picture.At(int(x*pixels), int(y*pixels)) }
	white := color.RGBA{0xff, 0xff, 0xff, 0xff}
	require.Equal(t, blue, at(20, 15))
	require.Equal(t, white, at(32, 15))
	for x := range 100 {
		require.Equal(t, blue, at(float64(x), 90), "%d: an unbroken line", x)
	}
	require.Equal(t, white, at(50, 94))
	dark := func(x0, y0, x1, y1 float64) (n int) {
		for x := x0; x < x1; x++ {
			for y := y0; y < y1; y++ {
				if r, _, _, _ := at(x, y).RGBA(); r < 0x8000 {
					n++
				}
			}
		}
		return n
	}
	long := Width("WW", 10)
	require.Positive(t, dark(50, 36, 50+Width("<WW>", 20), 51), "letters above the line")
	require.Zero(t, dark(50, 52, 100, 60), "none below")
	require.Positive(t, dark(12, 80-long/2, 21, 80+long/2), "upwards")
	require.Zero(t, dark(22, 70, 40, 86), "none below")
	require.Zero(t, dark(12, 81+long/2, 21, 87), "half of it on each side")
}

func TestSVG(t *testing.T) {
	c := NewSVG(100, 100)
	scene(c)
	text := string(c.Bytes())
	require.Contains(t, text, `viewBox="0 0 100 100"`)
	require.Contains(t, text, `<path d="M10,10L10,20L30,20L30,10Z" fill="#0072B2"/>`)
	require.Contains(t, text, `<path d="M0,90L50,90L100,90" fill="none" stroke="#0072B2" stroke-width="4"/>`)
	require.Contains(t, text, `<text x="50" y="50" font-size="20">&lt;WW&gt;</text>`)
	require.Contains(t, text, `<text x="20" y="80" font-size="10" text-anchor="middle" transform="rotate(-90 20 80)">WW</text>`)
	require.Contains(t, text, `stroke-dasharray="3"`)
}

// TestDashes: dashes are half of the line, each as long as asked for, up to the last.
func TestDashes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		coordinate := rapid.Float64Range(0, 100)
		point := rapid.Custom(func(t *rapid.T) Point { return Point{coordinate.Draw(t, "x"), coordinate.Draw(t, "y")} })
		line := rapid.SliceOfN(point, 2, 10).Draw(t, "line")
		dash := rapid.Float64Range(0.5, 50).Draw(t, "dash")
		long := func(line []Point) (sum float64) {
			for i := 1; i < len(line); i++ {
				sum += math.Hypot(line[i].X-line[i-1].X, line[i].Y-line[i-1].Y)
			}
			return sum
		}
		whole, sum := long(line), 0.0
		pairs := math.Floor(whole / (2 * dash))
		for i, d := range dashed(line, dash) {
			if float64(i) < pairs {
				require.InDelta(t, dash, long(d), 1e-6)
			}
			sum += long(d)
		}
		require.InDelta(t, pairs*dash+min(dash, whole-2*dash*pairs), sum, 1e-5)
	})
}
