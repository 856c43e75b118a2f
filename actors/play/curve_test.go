package play

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// In the lesson that draws locality as a curve over D, simulated and predicted locality differ by
// at most 0.06. The curve rises and flattens.
func TestCurveHoldsOfTheLesson(t *testing.T) {
	for _, l := range allLessons(t) {
		if l.Skips == nil {
			continue
		}
		c, err := curve(&l.Setup, l.Skips)
		require.NoError(t, err)
		require.Len(t, c.Dots, len(l.Skips))
		for i, p := range c.Dots {
			require.Equal(t, l.Skips[i], p.D)
			require.InDelta(t, c.Line[p.D].Local, p.Local, 0.06, "D = %d", p.D)
		}
		require.Greater(t, c.Dots[len(c.Dots)-1].Local-c.Dots[0].Local, 0.7, "the curve rises")
		require.Less(t, math.Abs(c.Line[80].Local-c.Line[40].Local), 0.05, "and flattens")
		return
	}
	t.Fatal("no lesson draws the curve")
}

// A request "curve" with invalid arguments returns an error that names them.
func TestCurveRefuses(t *testing.T) {
	for _, c := range []struct{ request, want string }{
		{`{"op":"curve","setup":{"workload":"facebook-mixed","policy":"delay"}}`, "0 values of D"},
		{`{"op":"curve","setup":{"workload":"facebook-mixed","policy":"delay"},"skips":[-1]}`, "D is -1"},
		{`{"op":"curve","setup":{"workload":"nothing","policy":"delay"},"skips":[1]}`, "nothing"},
	} {
		var a Answer
		require.NoError(t, json.Unmarshal(Handle([]byte(c.request), nil), &a))
		require.Contains(t, a.Error, c.want)
		require.Nil(t, a.Curve)
	}
}
