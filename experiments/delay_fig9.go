package experiments

import (
	"context"
	"fmt"
	"math"

	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// delayFig9 is [Zaharia10 Table 3, Figs 9 and 10, §5.1.3]: the mixed workload.
func delayFig9(ctx context.Context, o Options) (*Result, error) {
	all, err := macro(ctx, o, workload.FacebookMixed)
	if err != nil {
		return nil, err
	}
	fifo, naive, delay := &all[macroFIFO], &all[macroNaive], &all[macroDelay]
	r := &Result{Setup: macroSetup(
		"Workload: the 100 jobs of Table 3. Aggregations shuffle a quarter of their input, joins a half, both write a tenth of that; the three jobs after a join's first have 200, 20 and 1 maps: the paper gives none of these.",
		"Reduces fetch 50 MB/s each and merge at four times the read rate, no network model.",
	)}
	names := bins(fifo)
	bars := Figure{Name: "fig10", Title: "Speed-up over FIFO by bin, mixed", X: "bin", Y: "mean speed-up", Categories: names, Series: []Series{{Name: "naive fair"}, {Name: "fair + delay"}}}
	io, reduces := 0.0, 0.0
	for _, b := range names {
		n, d := average(speedups(fifo, naive, b)), average(speedups(fifo, delay, b))
		bars.Series[0].Y, bars.Series[1].Y = append(bars.Series[0].Y, n), append(bars.Series[1].Y, d)
		g := average(speedups(naive, delay, b))
		switch b {
		case "bin 3", "bin 6", "bin 8", "bin 9":
			reduces += g / 4
		default:
			io += g / 6
		}
		r.Rows = append(r.Rows, Row{Quantity: fmt.Sprintf("%s: speed-up of delay over FIFO", b), Unit: "×", Published: math.NaN(), Claim: "in the figure only", Ours: d, Band: Context()})
	}
	r.Rows = append(r.Rows,
		Row{Quantity: "bins 1, 2: median response with delay", Unit: "s", Published: 32, Ours: median(sojourns(delay, "bin 1", "bin 2")), Band: Within(32, 8)},
		Row{Quantity: "bin 3: median response with delay", Unit: "s", Published: 100, Claim: "about", Ours: median(sojourns(delay, "bin 3")), Band: Within(100, 40)},
		Row{Quantity: "gain of delay over naive, bins of IO-heavy jobs (1, 2, 4, 5, 7, 10)", Unit: "×", Published: math.NaN(), Claim: "larger than with reduces", Ours: io, Band: AtLeast(reduces)},
		Row{Quantity: "gain of delay over naive, bins with reduces (3, 6, 8, 9)", Unit: "×", Published: math.NaN(), Ours: reduces, Band: Context()},
		Row{Quantity: "bins 1, 2: speed-up of delay over FIFO", Unit: "×", Published: math.NaN(), Claim: "significant", Ours: (bars.Series[1].Y[0] + bars.Series[1].Y[1]) / 2, Band: AtLeast(1.2)},
	)
	r.Figures = append(macroCDFs("fig9", all, [][]string{{"bin 1", "bin 2", "bin 3"}, {"bin 4", "bin 5", "bin 6", "bin 7", "bin 8"}, {"bin 9", "bin 10"}}), bars)
	r.Notes = []string{"How long the paper's reduces take is unknown, and with it bin 3's 100 s and how far its gains are diluted."}
	return r, nil
}
