package hammoud12

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/tarry-mr/tarry/experiments/internal/setup"
	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/scheduling"
)

// The names of the two ways that rows of the experiment compare with the best assignment.
const (
	ablationFull     = "CoGRS, all known"
	ablationUncapped = "CoGRS, all known, without cap"
)

// blind makes CoGRS use known output sizes only, instead of projecting the others from them.
func blind(r *setup.Rule) { r.Policy.NoProjection = true }

// ways are the ways to place reduces that are compared with the best assignment.
var ways = []struct {
	name string
	rule setup.Rule
}{
	{"any node", cogrs(1, func(r *setup.Rule) { r.Policy.Rule = scheduling.AnyNode })},
	{"TND: outputs counted, not weighed", cogrs(1, func(r *setup.Rule) { r.Count = true })},
	{"LARTS: the node that holds most", cogrs(1, func(r *setup.Rule) { r.Policy.Rule = scheduling.LARTS })},
	{"CoGRS, 20 % of the maps known", cogrs(0.2, blind)},
	{"CoGRS, 20 % known, projected", cogrs(0.2)},
	{ablationFull, cogrs(1)},
	{ablationUncapped, cogrs(1, func(r *setup.Rule) { r.Policy.SkewCap = -1 })},
	{"CoGRS, all known, no tolerance", cogrs(1, func(r *setup.Rule) { r.Policy.Theta = -1 })},
}

// ablationShapes are the placement problems: on the paper's own cluster of 14 nodes, and on others
// with fewer nodes or with more racks and most maps on a few nodes.
var ablationShapes = [...]setup.Shape{
	{Nodes: 6, Racks: 2, Slots: 2, Maps: 8, Reduces: 4, Sigma: 1},
	{Nodes: 14, Racks: 2, Slots: 2, Maps: 11, Reduces: 3, Sigma: 1},
	{Nodes: 14, Racks: 2, Slots: 2, Maps: 28, Reduces: 10, Sigma: 1},
	{Nodes: 20, Racks: 4, Slots: 4, Maps: 40, Reduces: 16, Sigma: 1, Crowd: 1},
}

// ablation removes parts of reduce placement one at a time, and compares the result with the best
// assignment.
func ablation(s *study.Study) {
	seeds := s.Repeats(100, 400)
	s.Fill("seeds", seeds)
	bars := s.Plot("ablation")
	var centers []study.Sample
	for _, shape := range ablationShapes {
		centers = append(centers, overSeeds(s, seeds, shape,
			func(p *setup.Placing, r *rand.Rand) float64 { return atFeeding(s, p, r) }))
		s.Check(s.Context().Err())
		ablate(s, seeds, shape, bars)
	}
	s.Row("centers of gravity that are feeding nodes", study.MeanOf(centers))
	// Placements at a time when only a fraction of the maps have ended.
	fig := s.Plot("known")
	shape, parts := ablationShapes[2], []float64{0.05, 0.2, 0.5, 1}
	for _, way := range []struct {
		name    string
		changes []func(*setup.Rule)
		want    []float64
	}{
		{"known sizes only", []func(*setup.Rule){blind}, []float64{4.3, 8.5, 13.8, 19.5}},
		{"with projection", nil, []float64{8.3, 10.9, 15.2, 19.5}},
	} {
		for i, part := range parts {
			saved := overSeeds(s, seeds, shape, byCore(s, cogrs(part, way.changes...), (*setup.Placing).Cut))
			fig.AddSample(way.name, part, saved)
			fig.Add(way.name+", estimate", part, way.want[i]).Dashed = true
			if part == 1 && way.name == "with projection" { // nothing is left to be projected
				continue
			}
			s.Row(fmt.Sprintf("%v; %g %% of the maps known, %s: saved", shape, 100*part, way.name),
				saved)
		}
	}
}

// ablate places the reduces of random jobs of one shape, omitting each part of CoGRS in turn,
// and adds a row and a bar for each.
func ablate(s *study.Study, seeds int, shape setup.Shape, bars *study.Figure) {
	row := func(what string, ours study.Sample) { s.Row(fmt.Sprintf("%v; %s", shape, what), ours) }
	category := fmt.Sprintf("%d nodes, %d racks,\n%d maps, %d reduces", shape.Nodes, shape.Racks,
		shape.Maps, shape.Reduces)
	best := overSeeds(s, seeds, shape,
		func(p *setup.Placing, _ *rand.Rand) float64 { return p.Cut(p.Best(math.MaxInt)) })
	capped := overSeeds(s, seeds, shape,
		func(p *setup.Placing, _ *rand.Rand) float64 { return p.Cut(p.Best(p.SkewCap())) })
	for i, w := range ways {
		saved := overSeeds(s, seeds, shape, byCore(s, w.rule, (*setup.Placing).Cut))
		if i > 0 { // any node saves nothing
			bars.BarSample(w.name, category, saved)
		}
		row(w.name+": saved", saved)
		switch w.name {
		case ablationFull:
			row(w.name+": part of what is possible with its cap", saved.Part(capped))
		case ablationUncapped:
			row(w.name+": part of what is possible", saved.Part(best))
		}
	}
	row("best assignment with the cap: saved", capped)
	row("best assignment: saved", best)
	bars.BarSample("best assignment", category, best)
}

// atFeeding returns the percentage of the reduces whose center of gravity has the minimum weighted
// distance of all nodes and is a feeding node.
func atFeeding(s *study.Study, p *setup.Placing, r *rand.Rand) float64 {
	view, found := p.MapsDone(s.Check, cogrs(1), r).View(), 0
	for i, row := range p.Costs() {
		n, _, err := view.Gravity(scheduling.TaskID{Job: 1, Kind: scheduling.Reduce, Index: int32(i)})
		s.Check(err)
		if row[n] == slices.Min(row) && slices.Contains(p.At, int(n)) {
			found++
		}
	}
	return 100 * float64(found) / float64(len(p.Bytes[0]))
}
