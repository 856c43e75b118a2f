package study

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestVerdict(t *testing.T) {
	var s Study
	seeds := func(v ...float64) Sample { return BySeed(v) }
	said := func(b Bounds, ours Sample) *Row { return s.Said("x", "", "", b, ours) }
	for _, c := range []struct {
		name string
		row  *Row
		want Verdict
	}{
		{"within", s.Printed("x", "s", 10, Size, seeds(9.5, 9.6, 9.5, 9.6)), Holds},
		{"beyond", s.Printed("x", "s", 10, Size, seeds(8.5, 8.6, 8.5, 8.6)), Differs},
		{"across the edge", s.Printed("x", "s", 10, Size, seeds(8.5, 9.6, 8.5, 9.6)), CannotTell},
		{"one seed", s.Printed("x", "s", 10, Size, seeds(10)), CannotTell},
		{"no chance", s.Printed("x", "s", 10, Size, Sure(9)), Holds},
		{"counted", s.Printed("x", "", 6, Count, Sure(5)), Differs},
		{"a range", s.PrintedRange("x", "%", 99, 100, Share, Sure(100)), Holds},
		{"below a range", s.PrintedRange("x", "%", 99, 100, Share, Sure(97.4)), Differs},
		{"more", said(More(1), seeds(1.1, 1.11, 1.1)), Holds},
		{"equal is not more", said(More(1), Sure(1)), Differs},
		{"equal is at least", said(AtLeast(1), Sure(1)), Holds},
		{"perhaps more", said(More(1), seeds(0.9, 1.3, 1)), CannotTell},
		{"less", said(More(1), seeds(0.9, 0.89, 0.9)), Differs},
		{"not below", said(Less(1), seeds(1, 1)), Differs},
		{"not measured", said(Less(1), seeds(1, math.NaN())), Differs},
		{"formula", s.Formula("x", "", 2, 0, Sure(2)), Holds},
		{"own", s.Own("x", "", "", Near(100), seeds(80, 82)), CannotTell},
		{"context", s.Known("x", "", 3, Sure(2)), NotJudged},
	} {
		require.Equal(t, c.want, c.row.Verdict(), c.name)
	}
}

// No tolerance reaches what would be the opposite of the number.
func TestTolerancesStopBeforeTheOpposite(t *testing.T) {
	var s Study
	for _, gain := range []float64{1.1, 1.2, 1.6, 2, 5, 20, 0.5} {
		r := s.Printed("x", "×", gain, Gain, Sure(gain))
		require.Equal(t, gain > 1, r.Bounds.Low > 1)
		require.Equal(t, gain < 1, r.Bounds.High < 1)
	}
	require.Panics(t, func() { s.Printed("x", "×", 1, Gain, Sure(1)) })
	require.Panics(t, func() { s.Printed("x", "×", 1.1, Size, Sure(1)) }, "down to 0.99")
	require.Panics(t, func() { s.Printed("x", "%", 0.4, Share, Sure(1)) })
	require.InDelta(t, 5.5, Share(50), 1e-9)
	require.InDelta(t, 0.5, Share(100), 1e-9, "half of the last digit")
	require.InDelta(t, 0.497, Share(99.8), 1e-3)
	require.InDelta(t, 1.7, Size(17), 1e-9)
	require.InDelta(t, 0.5, Gain(2), 1e-9, "half of the last digit")
}

// The interval of a sample holds its mean, moves with it and is a point without spread.
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
	var s Study
	s.Printed("a", "s", 10, Size, Sure(10))
	s.Printed("b", "s", 10, Size, Sure(20))
	s.Said("c", "", "", More(1), BySeed([]float64{2}))
	s.Shown("d", "", Sure(1))
	r := &s.Result
	c := r.Counts()
	c.Add(r.Counts())
	require.Equal(t, 4, c.Of(Printed))
	require.Equal(t, "2 / 2 / 0", c.Cell(Printed))
	require.Empty(t, c.Cell(Own))
	require.Equal(t, "2 of 4 printed numbers hold (2 differ, 0 cannot tell); "+
		"0 of 2 claims hold (0 differ, 2 cannot tell)", c.String())
}
