package zaharia10

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/tarry-mr/tarry/experiments/internal/setup"
	"github.com/tarry-mr/tarry/experiments/study"
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
func Fig9(ctx context.Context, o study.Options) (*study.Result, error) {
	all, err := macro(ctx, o, plainMacro(), macroSeeds(o), mixed(mixedReduce))
	if err != nil {
		return nil, err
	}
	r := &study.Result{Setup: macroSetup(
		"Workload: the 100 jobs of Table 3. Aggregations shuffle a quarter of their input, joins "+
			"a half, both write a tenth of that; the three jobs after a join's first have 200, "+
			"20 and 1 maps: the paper gives none of these.",
		"Reduces fetch over the shared links, merge at four times the read rate and compute for "+
			"50 s with a lognormal factor of sigma 0.4: the paper gives no times of reduces, 50 "+
			"s is fitted to bin 3's median.",
	)}
	names := bins(&all[macroFIFO])
	bars := study.Figure{
		Name: "fig10", Title: "Speed-up over FIFO by bin, mixed", X: "bin", Y: "mean speed-up",
		Categories: names, Series: []*study.Series{{Name: "naive fair"}, {Name: "fair + delay"}},
	}
	for _, b := range names {
		for i, to := range []int{macroNaive, macroDelay} {
			bars.Series[i].Y = append(bars.Series[i].Y, gain(all, macroFIFO, to, b).Mean())
		}
		r.Add(mixedRows(all, b)...)
	}
	small := gain(all, macroFIFO, macroNaive, "bin 1", "bin 2")
	io, reduces := mixedGains(all)
	delay := &all[macroDelay]
	r.Add(
		study.SaidRow("bins 1, 2 gain more than bin 3 from fair sharing (margin)", "",
			"bin 3's jobs are longer", study.More(0.1),
			small.Minus(gain(all, macroFIFO, macroNaive, "bin 3"))),
		study.SaidRow("gain of delay over naive, IO-heavy bins (1, 2, 4, 5, 7, 10) less those "+
			"with reduces (3, 6, 8, 9)", "", "larger", study.More(0.1), io.Minus(reduces)),
		study.Known("bins 1, 2: median response with delay", "s", 32,
			medianOf(delay, "bin 1", "bin 2")).Saying("the jobs' set-up is fitted to it"),
		study.Known("bin 3: median response with delay", "s", 100,
			medianOf(delay, "bin 3")).Saying("about; the reduces are fitted to it"),
	)
	r.Figures = append(macroCDFs("fig9", all, [][]string{
		{"bin 1", "bin 2", "bin 3"},
		{"bin 4", "bin 5", "bin 6", "bin 7", "bin 8"},
		{"bin 9", "bin 10"},
	}), bars)
	r.Notes = fig9Notes()
	return r, r.AddTables(ctx, o, mixedTable)
}

// mixedRows judge what is said of a bin: all but the largest gain from fair sharing and from delay
// scheduling.
func mixedRows(all []simulator.Contest, bin string) []study.Row {
	fair := bin + ": speed-up of naive fair over FIFO"
	naive := gain(all, macroFIFO, macroNaive, bin)
	switch bin {
	case "bin 9", "bin 10":
		return []study.Row{
			study.SaidRow(fair, "×", "slightly slows larger jobs", study.Less(1), naive),
			study.Shown(bin+": speed-up of delay over FIFO", "×",
				gain(all, macroFIFO, macroDelay, bin)).Saying("in the figure only"),
		}
	case "bin 1", "bin 2":
		return []study.Row{
			study.SaidRow(fair, "×", "significant for the smaller map-only jobs",
				study.Significant(), naive),
			study.SaidRow(bin+": speed-up of delay over naive fair", "×", "jobs benefit",
				study.More(1), gain(all, macroNaive, macroDelay, bin)),
		}
	}
	first := study.SaidRow(fair, "×", "jobs benefit", study.More(1), naive)
	if bin == "bin 8" {
		first = study.Shown(fair, "×", naive).Saying("jobs benefit; " + unmoved)
	}
	return []study.Row{
		first,
		study.SaidRow(bin+": speed-up of delay over naive fair", "×", "jobs benefit",
			study.More(1), gain(all, macroNaive, macroDelay, bin)),
	}
}

// medianOf is the median response time of some classes by seed, in seconds.
func medianOf(c *simulator.Contest, classes ...string) study.Sample {
	return setup.Seeds([]simulator.Contest{*c}, func(one []simulator.Contest) float64 {
		return setup.Median(setup.Sojourns(&one[0], classes...))
	})
}

// mixedTable shows how the times and the gains move with the set-up.
func mixedTable(ctx context.Context, o study.Options) (study.Table, error) {
	t := study.Table{
		Name: "sensitivity", Title: "One choice changed",
		Columns: []string{
			"choice", "bins 1, 2: median (s)", "bin 3: median (s)", "gain of delay, IO bins",
			"gain of delay, bins with reduces",
		},
	}
	for _, c := range mixedChoices(o) {
		all, err := macro(ctx, o, c.macroChoice, o.Repeats(1, 3), mixed(c.reduce))
		if err != nil {
			return t, err
		}
		io, reduces := mixedGains(all)
		t.Add(c.name, medianOf(&all[macroDelay], "bin 1", "bin 2").Mean(),
			medianOf(&all[macroDelay], "bin 3").Mean(), io.Mean(), reduces.Mean())
	}
	return t, nil
}

// fig9Notes say what a reader should know.
func fig9Notes() []string {
	return []string{
		"How long the paper's reduces take is unknown, and with it bin 3's 100 s and how far its " +
			"gains are diluted: the table has other lengths.",
		"A margin of two gains must be more than a tenth: the load manager, which only one of the " +
			"schedulers has, makes some hundredths by itself.",
		macroChosen,
	}
}

// mixedGains are the means over bins of the speed-ups of delay over naive fair, by seed: of the bins
// of IO-heavy jobs and of those with reduces.
func mixedGains(all []simulator.Contest) (io, reduces study.Sample) {
	mean := func(names ...string) study.Sample {
		return setup.Seeds(all, func(one []simulator.Contest) float64 {
			sum := 0.0
			for _, b := range names {
				sum += setup.Average(speedups(&one[macroNaive], &one[macroDelay], b))
			}
			return sum / float64(len(names))
		})
	}
	return mean("bin 1", "bin 2", "bin 4", "bin 5", "bin 7", "bin 10"),
		mean("bin 3", "bin 6", "bin 8", "bin 9")
}

// mixedChoice is a set-up of the sensitivity table.
type mixedChoice struct {
	macroChoice
	reduce time.Duration
}

// mixedChoices are the set-ups of the sensitivity table.
func mixedChoices(o study.Options) []mixedChoice {
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
