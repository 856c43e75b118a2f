package study

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestVerdict(t *testing.T) {
	seeds := func(v ...float64) Sample { return BySeed(v) }
	for _, c := range []struct {
		name                 string
		unit, kind, expected string
		ours                 Sample
		want                 Verdict
	}{
		{"within", "s", "printed", "10", seeds(9.5, 9.6, 9.5, 9.6), Holds},
		{"beyond", "s", "printed", "10", seeds(8.5, 8.6, 8.5, 8.6), Differs},
		{"across the edge", "s", "printed", "10", seeds(8.5, 9.6, 8.5, 9.6), CannotTell},
		{"one seed", "s", "printed", "10", seeds(10), CannotTell},
		{"no chance", "s", "printed", "10", Sure(9), Holds},
		{"counted", "", "printed", "6", Sure(5), Differs},
		{"a range", "%", "printed", "99 to 100", Sure(100), Holds},
		{"below a range", "%", "printed", "99 to 100", Sure(97.4), Differs},
		{"more", "", "said", "> 1", seeds(1.1, 1.11, 1.1), Holds},
		{"equal is not more", "", "said", "> 1", Sure(1), Differs},
		{"equal is at least", "", "said", "≥ 1", Sure(1), Holds},
		{"perhaps more", "", "said", "> 1", seeds(0.9, 1.3, 1), CannotTell},
		{"less", "", "said", "> 1", seeds(0.9, 0.89, 0.9), Differs},
		{"not below", "", "said", "< 1", seeds(1, 1), Differs},
		{"equal is at most", "", "said", "≤ 1", seeds(1, 1), Holds},
		{"not measured", "", "said", "< 1", seeds(1, math.NaN()), Differs},
		{"between", "", "said", "-2 to 2", Sure(-1.9), Holds},
		{"at the edge", "", "said", "-2 to 2", Sure(-2), Differs},
		{"alike", "×", "said", "alike", Sure(1.09), Holds},
		{"not alike", "×", "said", "alike", Sure(0.9), Differs},
		{"significant", "×", "said", "significant", Sure(1.11), Holds},
		{"not significant", "×", "said", "significant", Sure(1.1), Differs},
		{"harmless", "×", "said", "harmless", Sure(0.99), Holds},
		{"not harmless", "×", "said", "harmless", Sure(0.98), Differs},
		{"formula", "", "formula", "2 ± 0", Sure(2), Holds},
		{"off a formula", "", "formula", "2 ± 0.5", Sure(2.6), Differs},
		{"own", "", "own", "near 100", seeds(80, 82), CannotTell},
		{"near", "", "own", "near 100", Sure(76), Holds},
		{"not near", "", "own", "near 100", Sure(126), Differs},
		{"not near below", "", "own", "near 100", Sure(74), Differs},
		{"context", "", "context", "3", Sure(2), NotJudged},
	} {
		require.Equal(t, c.want, mustRow(t, c.unit, c.kind, c.expected, c.ours).Verdict(), c.name)
	}
}

// The tolerance of a number excludes the opposite claim, such as a loss for a gain.
func TestTolerancesStopBeforeTheOpposite(t *testing.T) {
	for _, gain := range []float64{1.1, 1.2, 1.6, 2, 5, 20, 0.5} {
		r := mustRow(t, "×", "printed", Number(gain), Sure(gain))
		require.Equal(t, gain > 1, r.Bounds.Low > 1)
		require.Equal(t, gain < 1, r.Bounds.High < 1)
	}
	for _, c := range [][2]string{{"×", "1"}, {"×", "0.9 to 1.2"}, {"%", "0.4"}} {
		_, err := rowOf(c[0], "printed", c[1], Sure(1))
		require.ErrorContains(t, err, "the opposite would hold")
	}
	require.InDelta(t, 5.5, tolerance("%", 50), 1e-9)
	require.InDelta(t, 0.5, tolerance("%", 100), 1e-9, "half of the last digit")
	require.InDelta(t, 0.497, tolerance("%", 99.8), 1e-3)
	require.InDelta(t, 1.7, tolerance("s", 17), 1e-9)
	require.InDelta(t, 0.5, tolerance("×", 2), 1e-9, "half of the last digit")
}

// The interval of a sample contains its mean, moves with it, and is a point for equal values.
func TestInterval(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(-100, 100), 2, 50).Draw(t, "values")
		shift := rapid.Float64Range(-100, 100).Draw(t, "shift")
		moved := make([]float64, len(values))
		for i, v := range values {
			moved[i] = v + shift
		}
		a, b := BySeed(values), BySeed(moved)
		low, high := a.Interval()
		require.LessOrEqual(t, low, a.Mean())
		require.GreaterOrEqual(t, high, a.Mean())
		low2, high2 := b.Interval()
		require.InDelta(t, low+shift, low2, 1e-9)
		require.InDelta(t, high+shift, high2, 1e-9)
		low, high = b.Minus(a).Interval()
		require.InDelta(t, shift, low, 1e-9, "what is chance in both drops out")
		require.InDelta(t, shift, high, 1e-9)
	})
	low, high := BySeed([]float64{1, 2, 3}).Interval()
	require.InDelta(t, 2-4.303/math.Sqrt(3), low, 1e-9)
	require.InDelta(t, 2+4.303/math.Sqrt(3), high, 1e-9)
}

func TestCounts(t *testing.T) {
	r := &Result{Rows: []*Row{
		mustRow(t, "s", "printed", "10", Sure(10)), mustRow(t, "s", "printed", "10", Sure(20)),
		mustRow(t, "", "said", "> 1", BySeed([]float64{2})), mustRow(t, "", "context", "", Sure(1)),
	}}
	c := r.Counts()
	c.Add(r.Counts())
	require.Equal(t, 4, c.Of(Printed))
	require.Equal(t, "2 / 2 / 0", c.Cell(Printed))
	require.Empty(t, c.Cell(Own))
	require.Equal(t, "2 of 4 printed numbers hold (2 differ, 0 cannot tell); "+
		"0 of 2 claims hold (0 differ, 2 cannot tell)", c.String())
}
