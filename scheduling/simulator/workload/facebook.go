package workload

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"
)

// bin is one line of a paper's table of job sizes; jobs is the number of jobs of that size.
type bin struct {
	kind          string
	maps, reduces int
	jobs          int
}

// table2 returns [Zaharia10 Table 2]: the job sizes of the macrobenchmarks.
func table2() []bin {
	return []bin{
		{"text search", 1, 0, 38},
		{"text search", 2, 0, 16},
		{"text search", 10, 0, 14},
		{"text search", 50, 0, 8},
		{"text search", 100, 0, 6},
		{"text search", 200, 0, 6},
		{"text search", 400, 0, 4},
		{"text search", 800, 0, 4},
		{"text search", 4800, 0, 4},
	}
}

// table3 returns [Zaharia10 Table 3]: the job types and sizes of the mixed workload.
func table3() []bin {
	return []bin{
		{"select", 1, 0, 38},
		{"text search", 2, 0, 16},
		{"aggregation", 10, 3, 14},
		{"select", 50, 0, 8},
		{"text search", 100, 0, 6},
		{"aggregation", 200, 50, 6},
		{"select", 400, 0, 4},
		{"aggregation", 800, 180, 4},
		{"join", 2400, 360, 2},
		{"text search", 4800, 0, 2},
	}
}

// FacebookGap is the mean time between jobs of the macrobenchmarks [Zaharia10 §5.1].
const FacebookGap = 14 * time.Second

// FacebookIO returns the IO-heavy workload of [Zaharia10 §5.1.1]: 100 text searches in the sizes of
// Table 2, in random order, with exponential gaps of mean 14 s. They write 0.01 % of their input
// and have no reduces. Each job has its own user.
func FacebookIO(r *rand.Rand) Workload {
	return fromBins("facebook-io", table2(), r, func(j *Job, _ int) { j.Map.CPU = -1 })
}

// FacebookCPU returns the CPU-heavy workload of [Zaharia10 §5.1.2]: the jobs of FacebookIO, 2 to 7
// times slower than if a map only read its block, which takes localRead. The paper gives no factor
// per bin; this one grows linearly from 2 for bin 1 to 7 for bin 9.
func FacebookCPU(r *rand.Rand, localRead time.Duration) Workload {
	bins := table2()
	return fromBins("facebook-cpu", bins, r, func(j *Job, i int) {
		j.Map.CPU = -1
		factor := 2 + 5*float64(i)/float64(len(bins)-1)
		j.Map.Time = time.Duration((factor - 1) * float64(localRead))
	})
}

// FacebookMixed returns the mixed workload of [Zaharia10 §5.1.3]: the jobs of Table 3. A join is a
// series of four jobs. The paper says only that the three after the first are smaller; here they
// have 200, 20 and 1 maps.
func FacebookMixed(r *rand.Rand) Workload {
	bins := table3()
	w := fromBins("facebook-mixed", bins, r, func(j *Job, i int) { mixedCost(j, bins[i].kind) })
	var all []Job
	for _, j := range w.Jobs {
		all = append(all, j)
		if j.Maps != 2400 {
			continue
		}
		for i, size := range []bin{{"join", 200, 40, 0}, {"join", 20, 4, 0}, {"join", 1, 1, 0}} {
			next := j
			next.Name, next.Class = fmt.Sprintf("%s-%d", j.Name, i+2), "bin 9 rest"
			next.After, next.Submit = all[len(all)-1].Name, 0
			next.Maps, next.Reduces = size.maps, size.reduces
			next.InputBytes = int64(size.maps) * DefaultBlock
			mixedCost(&next, "join")
			all = append(all, next)
		}
	}
	w.Jobs = all
	return w
}

// mixedCost sets the bytes that a job of a kind shuffles and writes. The paper has no numbers; our
// choice: an aggregation shuffles a quarter of its input, a join half, and both write a tenth of
// what they shuffle.
func mixedCost(j *Job, kind string) {
	switch kind {
	case "aggregation":
		j.ShuffleBytes = j.InputBytes / 4
		j.OutputBytes = j.ShuffleBytes / 10
	case "join":
		j.ShuffleBytes = j.InputBytes / 2
		j.OutputBytes = j.ShuffleBytes / 10
	default:
		j.Map.CPU = -1
	}
}

// fromBins returns the jobs of bins; cost completes the jobs of the i-th bin.
func fromBins(name string, bins []bin, r *rand.Rand, cost func(j *Job, i int)) Workload {
	var jobs []Job
	for i, b := range bins {
		j := Job{Class: fmt.Sprintf("bin %d", i+1), Maps: b.maps, Reduces: b.reduces, InputBytes: int64(b.maps) * DefaultBlock}
		j.OutputBytes = j.InputBytes / 10_000
		cost(&j, i)
		jobs = append(jobs, slices.Repeat([]Job{j}, b.jobs)...)
	}
	return inRandomOrder(name, jobs, r, FacebookGap)
}

// inRandomOrder returns a workload of jobs in random order with exponential gaps of the given mean.
// Each job gets its own name and user.
func inRandomOrder(name string, jobs []Job, r *rand.Rand, gap time.Duration) Workload {
	r.Shuffle(len(jobs), func(i, k int) { jobs[i], jobs[k] = jobs[k], jobs[i] })
	gaps := Dist{Exponential, gap.Seconds(), 0}
	var at time.Duration
	for i := range jobs {
		j := &jobs[i]
		j.Name, j.User, j.Submit = fmt.Sprintf("job%03d", i), fmt.Sprintf("user%03d", i), at
		at += gaps.Span(r)
	}
	return Workload{Name: name, Jobs: jobs}
}

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
