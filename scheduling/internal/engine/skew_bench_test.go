package engine

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// skewedSizes draws the output bytes of a map for each reduce from a lognormal distribution. It
// returns 64 such lists, which the maps use in turn.
func skewedSizes(reduces int, sigma float64) [][]int64 {
	rng := rand.New(rand.NewPCG(3, 4))
	tables := make([][]int64, 64)
	for m := range tables {
		tables[m] = make([]int64, reduces)
		for r := range tables[m] {
			tables[m][r] = int64(1000 * math.Exp(sigma*rng.NormFloat64()))
		}
	}
	return tables
}

// BenchmarkSkewedReduces runs hfs with CoGRS in the set-up of [Zaharia10 §5.4]. Partitions differ
// in size, so that each reduce has a center of its own.
func BenchmarkSkewedReduces(b *testing.B) {
	for _, sigma := range []float64{1, 3} {
		b.Run(fmt.Sprintf("sigma=%v", sigma), func(b *testing.B) {
			s := paperSetup()
			s.bytes = skewedSizes(s.reduces, sigma)
			s.run(b, policyOf(b, "hfs", cogrsOn))
		})
	}
	b.Run("few", func(b *testing.B) { // all reduces have the same few centers
		s := setup{nodes: 1000, racks: 25, slots: [2]int{2, 2}, jobs: 40, pools: 20, maps: 20, reduces: 400, bytes: skewedSizes(400, 2)}
		s.run(b, policyOf(b, "hfs", cogrsOn))
	})
}

// Jobs with skewed partitions end under CoGRS, with as many launches as tasks.
func TestSkewedJobsRunThrough(t *testing.T) {
	s := setup{nodes: 40, racks: 4, slots: [2]int{2, 2}, jobs: 6, pools: 2, maps: 30, reduces: 60, bytes: skewedSizes(60, 3)}
	if got, want := s.drain(t, s.load(t, policyOf(t, "hfs", cogrsOn)), 20*time.Second), 6*90; got != want {
		t.Fatalf("%d launches, want %d", got, want)
	}
}
