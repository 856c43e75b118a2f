package hammoud12

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/tarry-mr/tarry/experiments/internal/setup"
	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// savings are run times saved, in per cent, at points of the grid.
type savings []study.Sample

func (s savings) mean() study.Sample { return study.MeanOf(s) }

// most is what is saved at the point where that is most on the mean, least where it is least.
func (s savings) most() study.Sample {
	return slices.MaxFunc(s, func(a, b study.Sample) int { return cmp.Compare(a.Mean(), b.Mean()) })
}

func (s savings) least() study.Sample {
	return slices.MinFunc(s, func(a, b study.Sample) int { return cmp.Compare(a.Mean(), b.Mean()) })
}

// runtimeTotals is what CoGRS and LARTS save on the whole grid: over native placement, and over any
// node with the same start.
type runtimeTotals struct{ native, same [2]savings }

// runtimeGrid is what is swept.
type runtimeGrid struct {
	narrow, ratios, sigmas, perNode []float64
	jobs, seeds                     int
}

// Runtime is the run times of [Hammoud12] and [Hammoud11]: what placement is worth in time, by how
// narrow the way between racks is.
func Runtime(ctx context.Context, o study.Options) (*study.Result, error) {
	grid := newRuntimeGrid(o)
	r := &study.Result{Setup: []string{
		"14 nodes in 2 racks (the private cluster), 4 map and 2 reduce slots each, links of 1 " +
			"Gb/s, uplinks over-subscribed from 1:1 to 20:1; flows share links fairly. The " +
			"paper's network is not known.",
		fmt.Sprintf("Jobs one after the other, 0.5 to 4 maps a node of 2 s and a block each, 7 "+
			"reduces, shuffle as large as the input and four times; a lognormal factor of sigma "+
			"0 to 2 on each (map, partition). %d seeds of %d jobs.", grid.seeds, grid.jobs),
		"Reduces start at 5 % of the maps on any node (native), at half of them under CoGRS and " +
			"LARTS, as in the first experiments here. Heartbeats every 3 s and when a task ends.",
	}}
	fig := study.Figure{
		Name: "run-time", Title: "Run time saved over native placement", X: "over-subscription",
		Y: "mean run time saved (%)",
	}
	var all runtimeTotals
	names := [2]string{"CoGRS", "LARTS"}
	for _, ratio := range grid.ratios {
		series := [2]*study.Series{{}, {}}
		for _, over := range grid.narrow {
			saved, err := runtimeSaved(ctx, o, grid, ratio, over, &all)
			if err != nil {
				return nil, err
			}
			for k, s := range saved {
				series[k].Name = fmt.Sprintf("%s, shuffle %g × input", names[k], ratio)
				series[k].AddSample(over, s.mean())
				label := fmt.Sprintf("%s, shuffle %g × input, %g:1: run time saved", names[k],
					ratio, over)
				r.Add(study.Shown(label+", mean", "%", s.mean()),
					study.Shown(label+", least", "%", s.least()),
					study.Shown(label+", most", "%", s.most()))
			}
		}
		fig.Series = append(fig.Series, series[:]...)
	}
	r.Add(all.rows()...)
	r.Findings = []string{fmt.Sprintf("On the mean over the grid CoGRS saves %.2f %% of the run "+
		"time over native placement and LARTS %.2f %%.", all.native[0].mean().Mean(),
		all.native[1].mean().Mean())}
	r.Figures = []study.Figure{fig}
	r.Notes = runtimeNotes()
	return r, nil
}

// rows judges the whole grid.
func (t *runtimeTotals) rows() []study.Row {
	return []study.Row{
		study.PrintedRow("CoGRS: greatest saving of run time", "%", 23.8, study.Share,
			t.native[0].most()).OldSaying("up to; only the abstract states it"),
		study.PrintedRow("LARTS: greatest saving of run time", "%", 11.6, study.Share,
			t.native[1].most()).OldSaying("up to; only the abstract states it"),
		study.PrintedRow("LARTS: mean saving of run time", "%", 7, study.Share,
			t.native[1].mean()).OldSaying("only the abstract states it, of its own jobs"),
		study.OwnRow("CoGRS: mean saving of run time", "%", "more than nothing", study.More(0),
			t.native[0].mean()),
		study.OwnRow("mean saving of run time, CoGRS less LARTS", "points",
			"the later rule saves more", study.More(0),
			t.native[0].mean().Minus(t.native[1].mean())),
		study.Shown("CoGRS: greatest saving over any node with the same start", "%",
			t.same[0].most()),
		study.Shown("CoGRS: mean saving over any node with the same start", "%",
			t.same[0].mean()),
		study.Shown("LARTS: mean saving over any node with the same start", "%",
			t.same[1].mean()),
	}
}

// newRuntimeGrid is the grid of a full or of a quick run.
func newRuntimeGrid(o study.Options) runtimeGrid {
	grid := runtimeGrid{
		narrow: []float64{1, 5, 10, 20}, ratios: []float64{1, 4}, sigmas: []float64{0, 1, 2},
		perNode: []float64{0.5, 1, 2, 4}, jobs: 6, seeds: o.Repeats(1, 10),
	}
	if o.Quick {
		grid.narrow, grid.sigmas, grid.perNode, grid.jobs = []float64{1, 20}, []float64{0, 2},
			[]float64{0.5, 4}, 3
	}
	return grid
}

// runtimeNotes say what a reader should know.
func runtimeNotes() []string {
	return []string{
		"A placement with fewer bytes between racks can take longer: reduces that gather in one " +
			"rack fetch all through its one downlink, where scattered ones use both; they wait " +
			"for their nodes; and they start later than native ones. Even jobs and small jobs " +
			"lose most.",
		"What the paper's clusters, data and other loads were is not known; a greatest saving is " +
			"of the corner of the grid with the most shuffle through the narrowest way.",
	}
}

// runtimeSaved runs the grid for one ratio of shuffle to input and one over-subscription; the
// savings go into all too.
func runtimeSaved(
	ctx context.Context, o study.Options, grid runtimeGrid, ratio, over float64,
	all *runtimeTotals,
) (saved [2]savings, err error) {
	list := setup.Placements()
	for i := range list {
		list[i].Policy.SlowStart = 0.5
	}
	list = append(list, list[0])
	list[0].Policy.SlowStart = 0.05 // native; the last one is any node with the start of the others
	cfg := simulator.Config{
		Cluster: simulator.Cluster{Nodes: 14, Racks: 2, MapSlots: 4, ReduceSlots: 2},
		Network: simulator.Network{Flows: true, Oversubscription: over},
		Drive:   simulator.HeartbeatDrive, Interval: setup.BeatEvery, OutOfBand: true, Seed: o.Seed,
		TellProgress: true, Submission: simulator.Submission{Rule: simulator.Serial},
	}
	for _, per := range grid.perNode {
		for _, sigma := range grid.sigmas {
			c, err := setup.Contests(ctx, cfg, list, grid.seeds,
				func(*rand.Rand) workload.Workload {
					w := setup.ShuffleJobs(grid.jobs, int(14*per), 7, sigma)
					for i := range w.Jobs {
						w.Jobs[i].ShuffleBytes = int64(ratio * float64(w.Jobs[i].InputBytes))
					}
					return w
				})
			if err != nil {
				return saved, err
			}
			for k := range saved {
				over := func(native int) study.Sample {
					return study.Pair(setup.Each(&c[k+1], setup.MeanSojourn),
						setup.Each(&c[native], setup.MeanSojourn),
						func(ours, native float64) float64 { return 100 * (1 - ours/native) })
				}
				saved[k] = append(saved[k], over(0))
				all.native[k] = append(all.native[k], over(0))
				all.same[k] = append(all.same[k], over(3))
			}
		}
	}
	return saved, nil
}
