package delaymath_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/scheduling/delaymath"
)

// job draws a job of n tasks, a cluster of m nodes, and r replicas per block.
func job(t *rapid.T) (n, m, r int) {
	m = rapid.IntRange(1, 2000).Draw(t, "nodes")
	return rapid.IntRange(1, 500).Draw(t, "tasks"), m, rapid.IntRange(1, 6).Draw(t, "replicas")
}

const rounding = 1e-12

func TestBoundsAreBelowTheExactSum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, m, r := job(t)
		d := float64(rapid.IntRange(0, 3000).Draw(t, "offers"))
		exact, sum, bound := delaymath.ExpectedLocality(d, n, m, r), delaymath.LocalitySum(d, n, m, r), delaymath.LocalityBound(d, n, m, r)
		require.GreaterOrEqual(t, exact+rounding, sum)
		require.GreaterOrEqual(t, sum+rounding, bound)
		require.True(t, exact >= 0 && exact <= 1, exact)
		require.GreaterOrEqual(t, bound, 0.0)
		more := delaymath.ExpectedLocality(d+1, n, m, r)
		require.GreaterOrEqual(t, more+rounding, exact, "more patience, less locality")
	})
}

// The formulas equal a plain computation: repeated multiplication, without an early end of the sum.
func TestExactSumAgainstPlainMultiplication(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.IntRange(1, 60).Draw(t, "nodes")
		n, r := rapid.IntRange(1, 80).Draw(t, "tasks"), rapid.IntRange(1, 4).Draw(t, "replicas")
		d := rapid.IntRange(0, 60).Draw(t, "offers")
		sum, skips := 0.0, 0.0
		for k := 1; k <= n; k++ {
			none := 1.0 // probability that a node has none of the k blocks
			for range r {
				none *= max(0, 1-float64(k)/float64(m))
			}
			missed := 1.0
			for range d {
				missed *= none
				skips += missed / float64(n)
			}
			sum += 1 - missed
		}
		require.InDelta(t, sum/float64(n), delaymath.ExpectedLocality(float64(d), n, m, r), 1e-9)
		require.InDelta(t, skips, delaymath.MeanSkips(d, n, m, r), 1e-9)
	})
}

// At the D of Equation 2, LocalityBound is the wanted locality; Skips is that D rounded up.
func TestSkipsInvertLocality(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, m, r := job(t)
		lambda := rapid.Float64Range(0, 0.9999).Draw(t, "locality")
		eq2 := delaymath.Equation2(lambda, n, m, r)
		require.InDelta(t, lambda, delaymath.LocalityBound(eq2, n, m, r), 1e-9, "Equation 2 solves the bound")
		d := delaymath.Skips(lambda, n, m, r)
		require.GreaterOrEqual(t, float64(d), eq2)
		require.Less(t, float64(d), eq2+1)
		require.GreaterOrEqual(t, delaymath.ExpectedLocality(float64(d), n, m, r), lambda)
	})
}

func TestWaitInvertsOffers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rate := rapid.Float64Range(0.01, 1e5).Draw(t, "rate")
		wait := time.Duration(rapid.Int64Range(0, int64(time.Hour)).Draw(t, "wait"))
		require.InDelta(t, float64(wait), float64(delaymath.Wait(delaymath.Offers(wait, rate), rate)), 2)
	})
}

func TestPlansInvertEachOther(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, m, r := job(t)
		racks := rapid.IntRange(1, m).Draw(t, "racks")
		s := delaymath.Setup{
			Tasks: n, Nodes: m, Replication: min(r, m), SlotsPerNode: rapid.IntRange(1, 16).Draw(t, "slots"),
			TaskTime: time.Duration(rapid.IntRange(1, 1000).Draw(t, "seconds")) * time.Second,
			Racks:    delaymath.Racks{Count: racks, PerBlock: rapid.IntRange(1, racks).Draw(t, "racks per block")},
		}
		node, rack := rapid.Float64Range(0, 0.999).Draw(t, "node"), rapid.Float64Range(0, 0.999).Draw(t, "rack")
		there, err := s.ForLocality(node, rack)
		require.NoError(t, err)
		require.GreaterOrEqual(t, there.Locality+rounding, node)
		require.GreaterOrEqual(t, there.WithinRack+rounding, rack)
		require.GreaterOrEqual(t, there.WithinRack+rounding, there.Locality, "a node lies in its rack")
		require.LessOrEqual(t, there.MeanSkips, there.D1)
		back, err := s.ForWaits(there.W1, there.W2)
		require.NoError(t, err)
		// A wait has whole nanoseconds. Converting it back may therefore lose the offers of one
		// nanosecond.
		require.InDelta(t, there.D1, back.D1, there.Rate*2e-9+1e-6)
		require.InDelta(t, there.Locality, back.Locality, 1e-5)
		require.InDelta(t, there.WithinRack, back.WithinRack, 1e-5)
	})
}

// Algorithm2Locality agrees with a simulation of Algorithm 2 as printed. Offers come from random
// nodes, of which the fraction p_K has data of the job. The seed is fixed.
func TestAlgorithm2AgainstSimulation(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 11))
	for _, c := range []struct{ d, n, m, r int }{{0, 4, 100, 3}, {5, 4, 50, 2}, {17, 12, 100, 3}, {17, 4, 100, 3}, {40, 3, 100, 3}} {
		const runs = 20000
		local := 0
		for range runs {
			skips := 0
			for left := c.n; left > 0; {
				preferred := rng.Float64() < delaymath.PreferredPart(left, c.m, c.r)
				switch {
				case preferred:
					local++
					left--
					skips = 0
				case skips >= c.d:
					left--
				default:
					skips++
				}
			}
		}
		got := float64(local) / float64(runs*c.n)
		require.InDelta(t, delaymath.Algorithm2Locality(c.d, c.n, c.m, c.r), got, 0.01, "%+v", c)
	}
}

// Locality is at most that of a job that waits before every launch, if the offer that ends a wait
// counts too. With one task both are equal.
func TestAlgorithm2IsBelowWaitingEveryTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, m, r := job(t)
		d := rapid.IntRange(0, 2000).Draw(t, "skips")
		got := delaymath.Algorithm2Locality(d, n, m, r)
		require.LessOrEqual(t, got, delaymath.ExpectedLocality(float64(d+1), n, m, r)+rounding)
		require.GreaterOrEqual(t, got+rounding, delaymath.ExpectedLocality(1, n, m, r), "no worse than not waiting")
		require.GreaterOrEqual(t, delaymath.Algorithm2Locality(d+1, n, m, r)+rounding, got)
		require.InDelta(t, delaymath.ExpectedLocality(float64(d+1), 1, m, r), delaymath.Algorithm2Locality(d, 1, m, r), rounding)
	})
}

func TestOutsideTheRangesIsNaN(t *testing.T) {
	for i, x := range []float64{
		delaymath.LocalWithin(-0.1, 1), delaymath.LocalWithin(1.1, 1), delaymath.LocalWithin(0.5, -1), delaymath.LocalWithin(math.NaN(), 1),
		delaymath.LocalWithin(0, math.Inf(1)), delaymath.PreferredPart(-1, 10, 3), delaymath.PreferredPart(1, 0, 3), delaymath.PreferredPart(1, 10, 0),
		delaymath.Equation2(1, 10, 10, 3), delaymath.Equation2(-0.1, 10, 10, 3), delaymath.Equation2(0.5, 0, 10, 3), delaymath.Equation2(math.NaN(), 10, 10, 3),
		delaymath.ExpectedLocality(-1, 1, 1, 1), delaymath.LocalitySum(1, 0, 1, 1), delaymath.LocalityBound(1, 1, 0, 1), delaymath.MeanSkips(-1, 1, 1, 1),
		delaymath.StickyBound(2, 3, 1), delaymath.StickyBound(0.5, 0, 1), delaymath.Blocked(-1, 3, 6), delaymath.Blocked(0.5, 3, 0),
		delaymath.Rate(0, time.Second), delaymath.Rate(1, 0), delaymath.Offers(-1, 1), delaymath.Offers(1, 0), delaymath.Offers(1, math.Inf(1)),
		delaymath.Algorithm2Locality(-1, 1, 1, 1), delaymath.Racks{}.PreferredPart(1), delaymath.Racks{Count: 2, PerBlock: 3}.PreferredPart(1), delaymath.Racks{}.WithinRack(1, 1, 1, 1, 1),
		delaymath.Racks{}.Equation2(0.5, 1),
	} {
		require.True(t, math.IsNaN(x), "case %d is %v", i, x)
	}
	require.Equal(t, -1, delaymath.Skips(1, 1, 1, 1))
	require.Equal(t, -1, delaymath.Racks{}.LeastSkips(0.5, 1, 1, 1, 1))
	require.Equal(t, time.Duration(-1), delaymath.Wait(-1, 1))
	require.Equal(t, time.Duration(math.MaxInt64), delaymath.Wait(1e300, 1))
}

func TestEdges(t *testing.T) {
	require.Equal(t, 0.0, delaymath.LocalWithin(1, 0), "no offer, no launch")
	require.Equal(t, 1.0, delaymath.LocalWithin(1, 1))
	require.Equal(t, 0.0, delaymath.ExpectedLocality(0, 10, 10, 3))
	require.Equal(t, 1.0, delaymath.ExpectedLocality(1, 1, 1, 1), "one node is always local")
	require.Equal(t, 1.0, delaymath.PreferredPart(20, 10, 1))
}

func TestSetupSaysEverythingThatIsWrong(t *testing.T) {
	err := delaymath.Setup{Tasks: 0, Nodes: 5, Replication: 7, SlotRate: math.NaN(), Racks: delaymath.Racks{Count: 9, PerBlock: 10}}.Validate()
	for _, want := range []string{"tasks must be", "replication 7 needs", "slot rate must be", "more racks (9) than nodes (5)", "racks per block must be 1 to 9"} {
		require.ErrorContains(t, err, want)
	}
	require.ErrorContains(t, delaymath.Setup{Tasks: 1, Nodes: 1, Replication: 1, SlotsPerNode: 1}.Validate(), "either the slot rate")
	ok := delaymath.Setup{Tasks: 1, Nodes: 1, Replication: 1, SlotRate: 1}
	require.NoError(t, ok.Validate())
	_, err = ok.ForLocality(1, 0)
	require.ErrorContains(t, err, "no finite wait")
	_, err = ok.ForWaits(-time.Second, time.Second)
	require.ErrorContains(t, err, "must not be negative")
	require.ErrorContains(t, err, "needs the number of racks")
}
