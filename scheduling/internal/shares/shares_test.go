package shares

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// slowShares gives out the slots in small portions. Each goes to the claim with the least share
// over weight of those that want more, and first to claims below their minimum.
func slowShares(claims []Claim, total float64) []float64 {
	const portion = 1.0 / 256
	shares := make([]float64, len(claims))
	sumMin := 0.0
	for i := range claims {
		shares[i] = min(claims[i].Min, claims[i].Demand)
		sumMin += shares[i]
	}
	if sumMin >= total {
		for i := range shares {
			shares[i] *= total / max(sumMin, 1e-9)
		}
		return shares
	}
	for left := total - sumMin; left > 1e-9; {
		best := -1
		for i, c := range claims {
			if shares[i] < c.Demand-1e-9 && (best < 0 || shares[i]/c.Weight < shares[best]/claims[best].Weight) {
				best = i
			}
		}
		if best < 0 {
			break
		}
		d := min(portion, left, claims[best].Demand-shares[best])
		shares[best] += d
		left -= d
	}
	return shares
}

func TestDivideAgainstWaterFilling(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 6).Draw(t, "n")
		total := float64(rapid.IntRange(0, 40).Draw(t, "total"))
		claims := make([]Claim, n)
		sum := 0.0
		for i := range claims {
			claims[i] = Claim{
				Demand: float64(rapid.IntRange(0, 30).Draw(t, "demand")), Min: float64(rapid.IntRange(0, 12).Draw(t, "min")),
				Weight: rapid.SampledFrom([]float64{0.25, 0.5, 1, 2, 3, 4}).Draw(t, "weight"),
			}
			sum += claims[i].Demand
		}
		want := slowShares(claims, total)
		Divide(claims, total)
		got := 0.0
		for i, c := range claims {
			require.InDelta(t, want[i], c.Share, 0.05)
			require.LessOrEqual(t, c.Share, c.Demand+1e-9)
			got += c.Share
		}
		require.InDelta(t, min(total, sum), got, 1e-4)
	})
}
