package study

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSVG(t *testing.T) {
	p := &picture{Figure: &Figure{Series: []*Series{{Dashed: true}, {Published: true}}}}
	p.fillBox(0, point{10, 10}, point{30, 20})
	p.draw(p.lineStyle(0), point{0, 90}, point{50, 90}, point{100, 90})
	p.write(point{50, 50}, 20, start, "<WW>")
	p.write(point{1.234, 80}, 10, end, "W")
	p.drawRing(1, point{100, 0})
	require.Equal(t, `<polyline points="10,10 10,20 30,20 30,10" fill="#0072B2"/>
<polyline points="0,90 50,90 100,90" fill="none" stroke="#0072B2" stroke-width="1.5" stroke-dasharray="4"/>
<text x="50" y="50" font-size="20">&lt;WW&gt;</text>
<text x="1.23" y="80" font-size="10" text-anchor="end">W</text>
<circle cx="100" cy="0" r="4" fill="none" stroke="#0072B2" stroke-width="1"/>
`, p.String())
	drawn := lines()
	svg, err := drawn.svg()
	require.NoError(t, err)
	require.Contains(t, string(svg), `<rect width="`)
	require.Contains(t, string(svg), `transform="rotate(-90 17 `)
}
