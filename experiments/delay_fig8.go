package experiments

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// delayFig8 is [Zaharia10 Fig 8, §5.1.2]: the CPU-heavy workload.
func delayFig8(ctx context.Context, o Options) (*Result, error) {
	all, err := macro(ctx, o, func(r *rand.Rand) workload.Workload { return workload.FacebookCPU(r, macroRead) })
	if err != nil {
		return nil, err
	}
	fifo, naive, delay := &all[macroFIFO], &all[macroNaive], &all[macroDelay]
	fair := append(speedups(fifo, naive, "bin 1"), speedups(fifo, naive, "bin 2")...)
	r := &Result{
		Setup: macroSetup("Workload: the jobs of Table 2, maps 2 (bin 1) to 7 (bin 9) times as long: the paper gives only this range."),
		Rows: []Row{
			{Quantity: "greatest speed-up of a small job, fair over FIFO", Unit: "×", Published: 20, Claim: "as much as", Ours: slices.Max(fair), Band: AtLeast(10)},
			{Quantity: "mean effect of delay over naive fair, all jobs", Unit: "×", Published: 1, Claim: "negligible", Ours: average(speedups(naive, delay, "")), Band: Within(1, 0.15)},
			{Quantity: "least effect of delay over naive fair in a bin", Unit: "×", Published: math.NaN(), Claim: "does not hurt", Ours: leastGain(naive, delay), Band: AtLeast(0.95)},
			{Quantity: "node-local with delay", Unit: "%", Published: 99, Claim: "close to Fig 6", Ours: delay.Over(nodeLocal).Mean, Band: AtLeast(97)},
		},
		Figures: macroCDFs("fig8", all, smallMediumLarge()),
	}
	return r, nil
}

// leastGain is the least of the bins' mean speed-ups of b over a.
func leastGain(a, b *simulator.Contest) float64 {
	least := math.Inf(1)
	for _, class := range bins(a) {
		least = min(least, average(speedups(a, b, class)))
	}
	return least
}
