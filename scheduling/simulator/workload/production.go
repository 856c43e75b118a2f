package workload

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"
)

// Facebook2010 draws a day like SWIM's FB-2010 sample, whose file cannot be shipped: 24,442 jobs,
// about 8 million maps of 128 MB, exponential gaps of 3.54 s, a third of the jobs map-only. Numbers
// measured from the file: the fraction of jobs in each bin of Table 2, the largest job (87,307
// maps), the 84 % of maps in bin 9 (a bounded Pareto distribution with exponent 0.77 has that
// mean), and the median of shuffle to input (0.43). Sizes inside the other bins are log-uniform.
func Facebook2010(r *rand.Rand) Workload {
	bins := [...]struct {
		part      float64 // percent of the jobs
		low, high int
	}{{64.5, 1, 1}, {2.9, 2, 2}, {9.2, 3, 20}, {10.1, 21, 60}, {2.2, 61, 150}, {2.2, 151, 300}, {1.9, 301, 500}, {3.6, 501, 1500}, {3.4, 1501, 87307}}
	w := Workload{Name: "facebook-2010"}
	gaps, ratio := Dist{Exponential, 3.54, 0}, Dist{LogNormal, 0.43, 1.3}
	var at time.Duration
	for n := range 24_442 {
		x, i := 100*r.Float64(), 0
		for ; i < len(bins)-1 && x >= bins[i].part; i++ {
			x -= bins[i].part
		}
		j := Job{Name: fmt.Sprintf("job%d", n), User: fmt.Sprintf("user%d", n%200), Submit: at, Class: fmt.Sprintf("bin %d", i+1)}
		if i < len(bins)-1 {
			j.Maps = logUniform(r, bins[i].low, bins[i].high)
		} else {
			j.Maps = int(boundedPareto(r, 0.77, float64(bins[i].low), float64(bins[i].high)))
		}
		j.InputBytes = int64(j.Maps) * DefaultBlock
		if r.Float64() > 0.341 {
			j.ShuffleBytes = int64(min(ratio.Sample(r), 10) * float64(j.InputBytes))
			j.OutputBytes = j.ShuffleBytes / 2
			j.Reduces = int(min(max((j.ShuffleBytes+j.OutputBytes)>>30, 1), 2000))
		}
		w.Jobs = append(w.Jobs, j)
		at += gaps.Span(r)
	}
	return w
}

// boundedPareto draws from the Pareto distribution of exponent alpha, truncated to low … high.
func boundedPareto(r *rand.Rand, alpha, low, high float64) float64 {
	cut := 1 - math.Pow(low/high, alpha)
	return low * math.Pow(1-float64(r.Float64()*cut), -1/alpha)
}
