package hammoud12

import (
	"fmt"
	"slices"

	"github.com/tarry-mr/tarry/experiments/internal/setup"
	"github.com/tarry-mr/tarry/experiments/study"
)

// savings are the percentages that a placement saves at the points of a grid of workloads.
type savings []study.Sample

func (s savings) mean() study.Sample { return study.MeanOf(s) }

// most and least return the savings at the points with the highest and the lowest mean.
func (s savings) most() study.Sample  { return slices.MaxFunc(s, study.ByMean) }
func (s savings) least() study.Sample { return slices.MinFunc(s, study.ByMean) }

// runtime measures, as [Hammoud12] and [Hammoud11] do, how much of the run time CoGRS and LARTS
// save, by over-subscription of the racks' uplinks.
func runtime(s *study.Study) {
	jobs, seeds := study.Pick(s, 3, 6), s.Repeats(1, 10)
	s.Fill("jobs", jobs, "seeds", seeds)
	grid := study.Grid(study.Pick(s, []float64{0.5, 4}, []float64{0.5, 1, 2, 4}),
		study.Pick(s, []float64{0, 2}, []float64{0, 1, 2}))
	list := setup.Placements(0.5)
	list = append(list, list[0])    // native, CoGRS, LARTS, and any node
	list[0].Policy.SlowStart = 0.05 // native starts reduces early
	fig := s.Plot("run-time")
	var native, same [2]savings // what CoGRS and LARTS save on the whole grid
	for _, ratio := range []float64{1, 4} {
		for _, over := range study.Pick(s, []float64{1, 20}, []float64{1, 5, 10, 20}) {
			var saved [2]savings
			for _, at := range grid {
				all := s.Compare(setup.NarrowCluster(over), list, seeds, setup.ShuffleJobs(setup.Shuffles{
					Jobs: jobs, Maps: int(14 * at[0]), Reduces: 7, Sigma: at[1], Ratio: ratio,
				}))
				for k := range saved {
					saved[k] = append(saved[k], all.Saved(k+1, 0, study.MeanSojourn))
					same[k] = append(same[k], all.Saved(k+1, 3, study.MeanSojourn))
				}
			}
			for k, x := range saved {
				native[k] = append(native[k], x...)
				line := fmt.Sprintf("%s, shuffle %g × input", [2]string{"CoGRS", "LARTS"}[k], ratio)
				fig.AddSample(line, over, x.mean())
				label := fmt.Sprintf("%s, %g:1: run time saved", line, over)
				s.Row(label+", mean", x.mean())
				s.Row(label+", least", x.least())
				s.Row(label+", most", x.most())
			}
		}
	}
	// Over the whole grid: savings over native placement, and over any-node placement with the slow
	// start of CoGRS and LARTS.
	cogrs, larts := native[0], native[1]
	s.Row("CoGRS: greatest saving of run time", cogrs.most())
	s.Row("LARTS: greatest saving of run time", larts.most())
	s.Row("LARTS: mean saving of run time", larts.mean())
	s.Row("CoGRS: mean saving of run time", cogrs.mean())
	s.Row("mean saving of run time, CoGRS less LARTS", cogrs.mean().Minus(larts.mean()))
	s.Row("CoGRS: greatest saving over any node with the same start", same[0].most())
	s.Row("CoGRS: mean saving over any node with the same start", same[0].mean())
	s.Row("LARTS: mean saving over any node with the same start", same[1].mean())
	s.Findings = []string{fmt.Sprintf("On the mean over the grid CoGRS saves %.2f %% of the run "+
		"time over native placement and LARTS %.2f %%.", cogrs.mean().Mean(), larts.mean().Mean())}
}
