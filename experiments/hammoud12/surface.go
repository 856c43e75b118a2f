package hammoud12

import (
	"fmt"
	"slices"

	"github.com/tarry-mr/tarry/experiments/internal/setup"
	"github.com/tarry-mr/tarry/experiments/study"
)

// surface repeats the evaluation of [Hammoud12] over many workloads: the off-rack bytes that CoGRS
// saves over native placement, by maps per node, skew and number of racks.
func surface(s *study.Study) {
	two, four := surfaceOf(s, 14, 2), surfaceOf(s, 20, 4)
	// Reduces placed without running jobs, at the points for which the notes have estimates.
	for _, shape := range []setup.Shape{
		{Nodes: 14, Racks: 2, Maps: 11, Reduces: 3},
		{Nodes: 14, Racks: 2, Maps: 11, Reduces: 3, Sigma: 1},
		{Nodes: 14, Racks: 2, Maps: 11, Reduces: 3, Sigma: 2},
		{Nodes: 14, Racks: 2, Maps: 28, Reduces: 10},
		{Nodes: 14, Racks: 2, Maps: 28, Reduces: 10, Sigma: 1},
		{Nodes: 14, Racks: 2, Maps: 28, Reduces: 10, Sigma: 1.5},
		{Nodes: 14, Racks: 2, Maps: 240, Reduces: 12},
		{Nodes: 14, Racks: 2, Maps: 240, Reduces: 12, Sigma: 1},
		{Nodes: 14, Racks: 2, Maps: 60, Reduces: 10, Crowd: 1},
		{Nodes: 20, Racks: 4, Maps: 20, Reduces: 8, Sigma: 1, Crowd: 1},
		{Nodes: 100, Racks: 4, Maps: 200, Reduces: 50, Sigma: 1},
		{Nodes: 100, Racks: 4, Maps: 800, Reduces: 180},
	} {
		shape.Slots = 2
		saved := overSeeds(s, s.Repeats(50, 200), shape,
			byCore(s, cogrs(1), (*setup.Placing).OffRackCut))
		s.Row(fmt.Sprintf("placement alone, %v: off-rack bytes saved", shape), saved)
	}
	s.Row("mean over the grid, 2 racks: off-rack bytes saved", two.mean())
	s.Row("mean over the grid, 4 racks: off-rack bytes saved", four.mean())
	all := slices.Concat(two, four)
	s.Row("least saving on the surface", all.least())
	s.Row("greatest saving on the surface", all.most())
	s.Findings = []string{fmt.Sprintf("On the means over our grid CoGRS saves %.1f %% of the "+
		"off-rack bytes with 2 racks and %.1f %% with 4; the abstract has 9.6 %% on the private "+
		"cluster, which has 2, and 38.6 %% on EC2.", two.mean().Mean(), four.mean().Mean())}
}

// surfaceOf returns the savings at each point of the grid on a cluster of this size.
func surfaceOf(s *study.Study, nodes, racks int) (points savings) {
	fig := s.Plot(fmt.Sprintf("surface-%d", racks))
	for _, sigma := range study.Pick(s, []float64{0, 2}, []float64{0, 1, 1.5, 2}) {
		for _, per := range study.Pick(s, []float64{0.5, 4}, []float64{0.5, 1, 2, 4, 16}) {
			jobs := setup.ShuffleJobs(setup.Shuffles{
				Jobs: study.Pick(s, 4, 10), Maps: int(per * float64(nodes)), Reduces: nodes / 2,
				Sigma: sigma, Ratio: 1,
			})
			all := s.Compare(setup.ShuffleCluster(nodes, racks), setup.Placements(1)[:2],
				s.Repeats(1, 10), jobs)
			cut := all.Saved(1, 0, study.OffRack)
			points = append(points, cut)
			fig.AddSample(fmt.Sprintf("σ = %g", sigma), per, cut)
			s.Row(fmt.Sprintf("%d racks, %g maps a node, σ = %g: off-rack bytes saved", racks, per, sigma),
				cut)
		}
	}
	return points
}
