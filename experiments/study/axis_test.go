package study

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Ticks are a few numbers of one or two digits, in equal steps, within the range.
func TestTicksAreRound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		least := float64(rapid.IntRange(-1000, 1000).Draw(t, "min"))
		scale := math.Pow(10, float64(rapid.IntRange(-3, 5).Draw(t, "scale")))
		a := axis{min: least * scale, max: (least + rapid.Float64Range(1, 1000).Draw(t, "more")) * scale}
		ticks := a.ticks()
		require.GreaterOrEqual(t, len(ticks), 2)
		require.LessOrEqual(t, len(ticks), 7)
		step := ticks[1] - ticks[0]
		require.Contains(t, "125", strings.TrimLeft(Number(step), "0.")[:1])
		for i, v := range ticks {
			require.InDelta(t, ticks[0]+float64(i)*step, v, step*1e-6)
			require.GreaterOrEqual(t, v, a.min-step*1e-6)
			require.LessOrEqual(t, v, a.max+step*1e-6)
			require.NotEqual(t, "-0", Number(v))
		}
		require.Greater(t, ticks[len(ticks)-1]+step, a.max, "none is missing")
		require.Less(t, ticks[0]-step, a.min, "none is missing")
	})
}

// series returns a series of points without intervals at 0, 1, 2 and so on.
func series(name string, y ...float64) *Series {
	var f Figure
	for x, y := range y {
		f.Add(name, float64(x), y)
	}
	return f.Series[0]
}

// The error for a figure that cannot be drawn names the figure and the series.
func TestFiguresThatCannotBeDrawn(t *testing.T) {
	for want, f := range map[string]Figure{
		"figure x, series s: NaN has no place":                 {Series: []*Series{series("", math.NaN())}},
		"figure x, series s: +Inf has no place":                {Series: []*Series{{Points: []Point{{X: math.Inf(1), Y: 1}}}}},
		"figure x, series s: 2 points, the first series has 1": {Stacked: true, Series: []*Series{series("", 1), series("", 1, 2)}},
	} {
		f.Name = "x"
		for i := range f.Series {
			f.Series[i].Name = "s"
		}
		_, err := f.svg()
		require.ErrorContains(t, err, want)
	}
}

// A picture shows all points and intervals of a figure, for each kind of figure.
func TestEveryKindIsDrawn(t *testing.T) {
	area := Figure{Stacked: true, Series: []*Series{series("a", 1, 2), series("b", 3, 1)}}
	dashed := Figure{Steps: true, Series: []*Series{series("d", 0, 1, 2)}}
	dashed.Series[0].Dashed = true
	for name, c := range map[string]struct {
		f    Figure
		want map[string]int
	}{
		"lines": {lines(), map[string]int{
			`stroke="#0072B2" stroke-width="1.5"`: 2, // with its key
			`stroke="#0072B2" stroke-width="0.5"`: 6, // two intervals
			`stroke="#0072B2" stroke-width="1"`:   2, // a published point
		}},
		"bars": {bars(), map[string]int{
			`fill="#0072B2"`: 3, `stroke="#000000" stroke-width="1"`: 3, ">two<": 1,
		}},
		"areas": {area, map[string]int{`fill="#0072B2"`: 2, `fill="#E69F00"`: 2}},
		"steps": {dashed, map[string]int{`stroke-dasharray="4"`: 2}},
	} {
		svg, err := c.f.svg()
		require.NoError(t, err)
		for part, n := range c.want {
			require.Equal(t, n, strings.Count(string(svg), part), "%s: %s", name, part)
		}
	}
}
