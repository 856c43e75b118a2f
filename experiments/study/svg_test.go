package study

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSVG(t *testing.T) {
	var s svg
	s.fill("#0072B2", box(point{10, 10}, point{30, 20})...)
	s.stroke(pen{color: "#0072B2", width: 4}, point{0, 90}, point{50, 90}, point{100, 90})
	s.write(point{50, 50}, 20, start, "<WW>")
	s.write(point{20, 80}, 10, upwards, "WW")
	s.write(point{1.234, 80}, 10, end, "W")
	s.stroke(pen{color: "#0072B2", width: 1, dash: 3}, ring(point{100, 0}, 10)...)
	text := string(s.document(100, 100))
	require.Contains(t, text, `viewBox="0 0 100 100"`)
	require.Contains(t, text, `<path d="M0,0L0,100L100,100L100,0Z" fill="#FFFFFF"/>`)
	require.Contains(t, text, `<path d="M10,10L10,20L30,20L30,10Z" fill="#0072B2"/>`)
	require.Contains(t, text, `<path d="M0,90L50,90L100,90" fill="none" stroke="#0072B2" stroke-width="4"/>`)
	require.Contains(t, text, `<text x="50" y="50" font-size="20">&lt;WW&gt;</text>`)
	require.Contains(t, text, `<text x="20" y="80" font-size="10" text-anchor="middle" transform="rotate(-90 20 80)">WW</text>`)
	require.Contains(t, text, `<text x="1.23" y="80" font-size="10" text-anchor="end">W</text>`)
	require.Contains(t, text, `stroke-dasharray="3"`)
}

// Letters have different widths; one that the table does not have takes space, too.
func TestTextWidth(t *testing.T) {
	require.InDelta(t, 2*1933*20/2048.0, textWidth("WW", 20), 1e-9)
	require.Less(t, textWidth("ill", 10), textWidth("WWW", 10))
	require.Positive(t, textWidth("漢", 10))
}
