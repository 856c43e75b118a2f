package zaharia10

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/tarry-mr/tarry/experiments/internal/report"
	"github.com/tarry-mr/tarry/experiments/internal/setup"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// mixedReduce is how long a reduce computes in the mixed workload, besides fetching and merging:
// fitted to the published median of bin 3.
const mixedReduce = 50 * time.Second

// mixed is Table 3's workload with reduces that compute for some time.
func mixed(reduce time.Duration) func(r *rand.Rand) workload.Workload {
	return func(r *rand.Rand) workload.Workload {
		w := workload.FacebookMixed(r)
		for i := range w.Jobs {
			w.Jobs[i].Reduce.Time, w.Jobs[i].Reduce.Spread = reduce, 0.4
		}
		return w
	}
}

// Fig9 is [Zaharia10 Table 3, Figs 9 and 10, §5.1.3]: the mixed workload.
func Fig9(ctx context.Context, o report.Options) (*report.Result, error) {
	all, err := macro(ctx, o, plainMacro(), macroSeeds(o), mixed(mixedReduce))
	if err != nil {
		return nil, err
	}
	fifo, naive, delay := &all[macroFIFO], &all[macroNaive], &all[macroDelay]
	r := &report.Result{Setup: macroSetup(
		"Workload: the 100 jobs of Table 3. Aggregations shuffle a quarter of their input, joins "+
			"a half, both write a tenth of that; the three jobs after a join's first have 200, "+
			"20 and 1 maps: the paper gives none of these.",
		"Reduces fetch over the shared links, merge at four times the read rate and compute for "+
			"50 s with a lognormal factor of sigma 0.4: the paper gives no times of reduces, 50 "+
			"s is fitted to bin 3's median.",
	)}
	names := bins(fifo)
	bars := report.Figure{
		Name: "fig10", Title: "Speed-up over FIFO by bin, mixed", X: "bin", Y: "mean speed-up",
		Categories: names, Series: []report.Series{{Name: "naive fair"}, {Name: "fair + delay"}},
	}
	io, reduces := mixedGains(naive, delay)
	for _, b := range names {
		n, d := setup.Average(speedups(fifo, naive, b)), setup.Average(speedups(fifo, delay, b))
		bars.Series[0].Y = append(bars.Series[0].Y, n)
		bars.Series[1].Y = append(bars.Series[1].Y, d)
		r.Add(report.Claimed(fmt.Sprintf("%s: speed-up of delay over FIFO", b), "×",
			"in the figure only", d, report.Context()))
	}
	r.Add(report.Published("bins 1, 2: median response with delay", "s", 32,
		setup.Median(setup.Sojourns(delay, "bin 1", "bin 2")), report.Within(32, 8)),
		report.Published("bin 3: median response with delay", "s", 100,
			setup.Median(setup.Sojourns(delay, "bin 3")),
			report.Context()).Saying("about; the reduces are fitted to it"),
		report.Claimed("gain of delay over naive, bins of IO-heavy jobs (1, 2, 4, 5, 7, 10)", "×",
			"larger than with reduces", io, report.AtLeast(reduces)),
		report.Shown("gain of delay over naive, bins with reduces (3, 6, 8, 9)", "×", reduces),
		report.Claimed("bins 1, 2: speed-up of delay over FIFO", "×", "significant",
			(bars.Series[1].Y[0]+bars.Series[1].Y[1])/2, report.AtLeast(1.2)),
	)
	r.Figures = append(macroCDFs("fig9", all, [][]string{
		{"bin 1", "bin 2", "bin 3"},
		{"bin 4", "bin 5", "bin 6", "bin 7", "bin 8"},
		{"bin 9", "bin 10"},
	}), bars)
	t, err := mixedTable(ctx, o)
	if err != nil {
		return nil, err
	}
	r.Tables = []report.Table{t}
	r.Notes = fig9Notes()
	return r, nil
}

// mixedTable shows how the times and the gains move with the set-up.
func mixedTable(ctx context.Context, o report.Options) (report.Table, error) {
	t := report.Table{
		Name: "sensitivity", Title: "One choice changed",
		Columns: []string{
			"choice", "bins 1, 2: median (s)", "bin 3: median (s)", "gain of delay, IO bins",
			"gain of delay, bins with reduces",
		},
	}
	for _, c := range mixedChoices(o) {
		all, err := macro(ctx, o, c.macroChoice, o.Repeats(1, 5), mixed(c.reduce))
		if err != nil {
			return t, err
		}
		delay := &all[macroDelay]
		io, reduces := mixedGains(&all[macroNaive], delay)
		t.Add(c.name, setup.Median(setup.Sojourns(delay, "bin 1", "bin 2")),
			setup.Median(setup.Sojourns(delay, "bin 3")), io, reduces)
	}
	return t, nil
}

// fig9Notes say what a reader should know.
func fig9Notes() []string {
	return []string{
		"How long the paper's reduces take is unknown, and with it bin 3's 100 s and how far its " +
			"gains are diluted: the table has other lengths.",
		macroChosen,
	}
}

// mixedGains are the mean speed-ups of delay over naive fair in the bins of IO-heavy jobs and in
// those with reduces.
func mixedGains(naive, delay *simulator.Contest) (io, reduces float64) {
	for _, b := range bins(naive) {
		g := setup.Average(speedups(naive, delay, b))
		switch b {
		case "bin 3", "bin 6", "bin 8", "bin 9":
			reduces += g / 4
		default:
			io += g / 6
		}
	}
	return io, reduces
}

// mixedChoice is a set-up of the sensitivity table.
type mixedChoice struct {
	macroChoice
	reduce time.Duration
}

// mixedChoices are the set-ups of the sensitivity table.
func mixedChoices(o report.Options) []mixedChoice {
	var list []mixedChoice
	for _, reduce := range []time.Duration{0, 25 * time.Second, mixedReduce, 75 * time.Second} {
		c := mixedChoice{plainMacro(), reduce}
		c.name = fmt.Sprintf("reduces compute for %v", reduce)
		list = append(list, c)
	}
	if o.Quick {
		return nil
	}
	other := mixedChoice{plainMacro(), 0}
	other.name = "reads 5 s, computes 5 s, remote reads twice as long, no " +
		"contention, reduces compute for 0 s"
	other.read, other.compute, other.network = 5*time.Second, 5*time.Second,
		simulator.Network{ReadFactor: [3]float64{1, 2, 2}}
	return append(list, other)
}
