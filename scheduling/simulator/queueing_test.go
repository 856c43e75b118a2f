package simulator

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// slice is the length in seconds of a task. Many such tasks stand for a divisible job.
const slice = 0.25

// sizes returns distributions of the number of a job's tasks, each with about the given mean.
func sizes(mean float64) map[string]func(*rand.Rand) int {
	return map[string]func(*rand.Rand) int{
		"equal":                     func(*rand.Rand) int { return int(mean) },
		"exponential above a least": func(r *rand.Rand) int { return int(mean*0.4) + int(r.ExpFloat64()*mean*0.6) },
		"very uneven": func(r *rand.Rand) int { // a tenth of the jobs is ten times as large as the others
			if r.IntN(10) == 0 {
				return int(mean * 10 / 1.9)
			}
			return int(mean / 1.9)
		},
	}
}

// divisible returns a Poisson stream of jobs of short tasks for n slots, and the load that results.
// Sojourn times equal those of one server with the speed of all slots.
func divisible(seed uint64, jobs, slots int, load float64, size func(*rand.Rand) int) (w *workload.Workload, rho float64) {
	r := rand.New(rand.NewPCG(seed, 11))
	w = &workload.Workload{Name: "divisible"}
	var at, work float64
	gap := 0.0
	for range 1000 {
		gap += float64(size(r)) * slice / float64(slots) / load / 1000
	}
	for i := range jobs {
		at += gap * r.ExpFloat64()
		n := size(r)
		work += float64(n) * slice / float64(slots)
		w.Jobs = append(w.Jobs, workload.Job{
			Name: fmt.Sprint(i), User: "u", Maps: n, NoLocation: true, Submit: seconds(at),
			Map: workload.Cost{Setup: -1, Time: seconds(slice)}, TellTimes: true,
		})
	}
	return w, work / at
}

// within fails unless the wanted value is in the 95 % interval of several runs' values, widened by
// slack.
func within(t *testing.T, want float64, values []float64, slack float64, what string) {
	t.Helper()
	e := EstimateOf(values)
	require.Less(t, e.Half, 0.25*want, "%s: %v is no estimate", what, e)
	require.InDelta(t, want, e.Mean, e.Half+slack, "%s: %v", what, e)
}

// oneNode returns a cluster of one node under the policy, without Spread.
func oneNode(t *testing.T, policy string, slots int, seed uint64) Config {
	p := preset(t, policy)
	p.Spread = false
	return Config{Cluster: Cluster{Nodes: 1, MapSlots: slots}, Policy: p, Seed: seed, Interval: time.Hour, Update: time.Minute}
}

// Naive fair sharing of short tasks, with more slots than jobs, is M/G/1-PS. A job's sojourn is
// 1/(1-rho) times its time alone, for any distribution of sizes, for small and for large jobs. With
// one slot it is FIFO, since no job has more running tasks than another.
func TestSlowdownOfProcessorSharing(t *testing.T) {
	const slots = 12
	for name, size := range sizes(60) {
		var all []float64
		bySize := map[bool][]float64{} // by whether the job is above the mean
		for seed := range uint64(8) {
			w, rho := divisible(seed, 600, slots, 0.5, size)
			res := run(t, oneNode(t, "fair", slots, seed), w)
			sum, count := map[bool]float64{}, map[bool]float64{}
			for i, j := range res.Jobs {
				waves := math.Ceil(float64(w.Jobs[i].Maps) / slots) // rounds of its tasks if it runs alone
				large := w.Jobs[i].Maps > 60
				sum[large] += j.Sojourn().Seconds() / (waves * slice) * (1 - rho)
				count[large]++
			}
			all = append(all, (sum[true]+sum[false])/(count[true]+count[false]))
			for large, n := range count {
				bySize[large] = append(bySize[large], sum[large]/n)
			}
		}
		within(t, 1, all, 0.05, name)
		for large, values := range bySize {
			within(t, 1, values, 0.1, fmt.Sprint(name, ", large ", large))
		}
	}
}

// srpt with short tasks is M/G/1-SRPT. By [Schrage66], the mean time of a job of size x is lambda
// (m(x) + x² (1-F(x))) / (2 (1-rho(x))²) + the integral to x of 1/(1-rho(t)). m(x) is the mean
// square of sizes up to x, rho(x) the load of jobs up to x.
func TestMeanSojournOfSRPT(t *testing.T) {
	for name, size := range sizes(20) {
		var ratio []float64
		for seed := range uint64(6) {
			w, _ := divisible(seed, 1000, 1, 0.7, size)
			res := run(t, oneNode(t, "srpt", 1, seed), w)
			ratio = append(ratio, res.Report.Sojourn.Mean/schrage(w))
		}
		within(t, 1, ratio, 0.05, name)
	}
}

// schrage returns the mean sojourn by that formula for the sizes and the rate of a workload.
func schrage(w *workload.Workload) float64 {
	const most = 400 // in slices; no job is larger
	var count [most + 1]float64
	for _, j := range w.Jobs {
		count[min(j.Maps, most)]++
	}
	n := float64(len(w.Jobs))
	lambda := n / w.Jobs[len(w.Jobs)-1].Submit.Seconds()
	below := 0.0 // fraction of jobs smaller than x
	var rho, squares, spent, mean float64
	for k := 1; k <= most; k++ {
		x, part := float64(k)*slice, count[k]/n
		spent += slice / (1 - rho) // a job with t remaining waits for jobs below t
		const steps = 50
		for i := range steps { // of jobs of one size, half count as smaller and half as larger
			u := part * (float64(i) + 0.5) / steps
			left := 1 - rho - lambda*u*x
			mean += part / steps * (lambda*(squares+u*x*x+x*x*(1-below-u))/(2*left*left) + spent)
		}
		rho += lambda * part * x
		squares += part * x * x
		below += part
	}
	return mean
}

// The formula gives two known values. Equal sizes are M/D/1 first come, first served, and a single
// job takes its own time.
func TestSchrage(t *testing.T) {
	w, rho := divisible(1, 20_000, 1, 0.5, sizes(20)["equal"])
	x := 20 * slice
	require.InEpsilon(t, x+rho*x/(2*(1-rho)), schrage(w), 0.02)
	require.Less(t, math.Abs(schrage(&workload.Workload{Jobs: []workload.Job{{Maps: 20, Submit: time.Hour}}})-x), 0.01)
}
