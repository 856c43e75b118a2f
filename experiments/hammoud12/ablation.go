package hammoud12

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/tarry-mr/tarry/experiments/internal/setup"
	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/scheduling"
)

// placingWaits is long enough that each node asks ten times before a reduce gives up its center or
// its rack.
const placingWaits = 10 * setup.BeatEvery

// The ways that are held against the best assignment.
const (
	ablationFull     = "CoGRS, all known"
	ablationUncapped = "CoGRS, all known, without cap"
)

// ablations are the ways to place reduces that are compared with the best assignment.
func ablations() []struct {
	name string
	rule setup.Rule
} {
	rule := func(known float64, change func(*setup.Rule)) setup.Rule {
		r := setup.Rule{
			Known: known,
			Policy: scheduling.ReducePolicy{
				Rule: scheduling.CoGRS, Waits: [2]time.Duration{placingWaits, placingWaits},
			},
		}
		change(&r)
		return r
	}
	same := func(*setup.Rule) {}
	blind := func(r *setup.Rule) { r.Policy.NoProjection = true }
	return []struct {
		name string
		rule setup.Rule
	}{
		{"any node", rule(1, func(r *setup.Rule) { r.Policy.Rule = scheduling.AnyNode })},
		{"TND: outputs counted, not weighed", rule(1, func(r *setup.Rule) { r.Count = true })},
		{
			"LARTS: the node that holds most",
			rule(1, func(r *setup.Rule) { r.Policy.Rule = scheduling.LARTS }),
		},
		{"CoGRS, 20 % of the maps known", rule(0.2, blind)},
		{"CoGRS, 20 % known, projected", rule(0.2, same)},
		{ablationFull, rule(1, same)},
		{ablationUncapped, rule(1, func(r *setup.Rule) { r.Policy.SkewCap = -1 })},
		{"CoGRS, all known, no tolerance", rule(1, func(r *setup.Rule) { r.Policy.Theta = -1 })},
	}
}

// ablationShapes are the problems: the paper's own cluster, and small ones with other racks and
// crowds.
func ablationShapes() []setup.Shape {
	return []setup.Shape{
		{Nodes: 6, Racks: 2, Slots: 2, Maps: 8, Reduces: 4, Sigma: 1},
		{Nodes: 14, Racks: 2, Slots: 2, Maps: 11, Reduces: 3, Sigma: 1},
		{Nodes: 14, Racks: 2, Slots: 2, Maps: 28, Reduces: 10, Sigma: 1},
		{Nodes: 20, Racks: 4, Slots: 4, Maps: 40, Reduces: 16, Sigma: 1, Crowd: 1},
	}
}

// Ablation takes parts of reduce placement away and measures what is left against the best
// assignment.
func Ablation(ctx context.Context, o study.Options) (*study.Result, error) {
	seeds := o.Repeats(100, 400)
	r := &study.Result{Setup: []string{
		"Placement alone: maps lie on random nodes (drawn by Zipf's law where crowded), each " +
			"gives each reduce a megabyte times a lognormal factor; 2 reduce slots a node (4 on " +
			"20 nodes); nothing else takes time or slots.",
		"The Core places: the known maps have ended, the others run; nodes ask every 3 s in a " +
			"random order; waits of 30 s for the center and for its rack, so that patience is no " +
			"bound.",
		"Saved: weighted distance (WTND) against the mean over all nodes, which is what random " +
			"nodes give.",
		"The best assignment is the least sum of distances of all ways to give reduces slots " +
			"(Hungarian algorithm): no rule can save more. Once with all slots, once with " +
			"CoGRS's own cap of reduces a node.",
		fmt.Sprintf("%d seeds each. TND tells the Core a size of 1 for every partition.", seeds),
	}}
	bars := study.Figure{
		Name: "ablation", Title: "Distance saved against the best assignment", X: "problem",
		Y: "distance saved (%)",
	}
	for _, a := range ablations()[1:] { // any node saves nothing
		bars.Series = append(bars.Series, &study.Series{Name: a.name})
	}
	bars.Series = append(bars.Series, &study.Series{Name: "best assignment"})
	for _, shape := range ablationShapes() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := ablate(o.Seed, seeds, shape, r, &bars); err != nil {
			return nil, err
		}
		bars.Categories = append(bars.Categories,
			fmt.Sprintf("%d nodes, %d racks,\n%d maps, %d reduces", shape.Nodes, shape.Racks,
				shape.Maps, shape.Reduces))
	}
	early, err := earlyPlacing(o, seeds, r)
	if err != nil {
		return nil, err
	}
	r.Figures = []study.Figure{bars, *early}
	r.Notes = []string{
		"The estimates by part of the maps known are of a separate calculation with greedy " +
			"placement; the paper has no such numbers. They tell how much an early start costs, " +
			"and what projection gives back.",
		"Where partitions are alike TND and WTND are the same; with this skew TND does not see " +
			"which outputs weigh and saves about half as much or less.",
		"The cap costs most where maps are crowded: the best nodes could take more reduces than " +
			"their part.",
	}
	return r, nil
}

// ablate adds the rows and bars of one problem.
func ablate(
	seed uint64, seeds int, shape setup.Shape, r *study.Result, bars *study.Figure,
) error {
	shown := func(what string, ours study.Sample) {
		r.Add(study.Shown(fmt.Sprintf("%v; %s", shape, what), "%", ours))
	}
	near := func(what string, ours study.Sample) {
		r.Add(study.OwnRow(fmt.Sprintf("%v; %s", shape, what), "%",
			"greedy by regret comes near", study.More(90), ours))
	}
	best, err := overSeeds(seed, seeds, shape,
		func(p *setup.Placing, _ *rand.Rand) (float64, error) {
			return p.Cut(p.Best(math.MaxInt)), nil
		})
	if err != nil {
		return err
	}
	capped, err := overSeeds(seed, seeds, shape,
		func(p *setup.Placing, _ *rand.Rand) (float64, error) {
			return p.Cut(p.Best(p.SkewCap())), nil
		})
	if err != nil {
		return err
	}
	for i, a := range ablations() {
		saved, err := overSeeds(seed, seeds, shape,
			func(p *setup.Placing, r *rand.Rand) (float64, error) {
				where, err := p.ByCore(a.rule, r)
				return p.Cut(where), err
			})
		if err != nil {
			return err
		}
		if i > 0 {
			bars.Series[i-1].AddBar(saved)
		}
		shown(a.name+": saved", saved)
		switch a.name {
		case ablationFull:
			near(a.name+": part of what is possible with its cap", saved.Part(capped))
		case ablationUncapped:
			near(a.name+": part of what is possible", saved.Part(best))
		}
	}
	shown("best assignment with the cap: saved", capped)
	shown("best assignment: saved", best)
	last := bars.Series[len(bars.Series)-1]
	last.AddBar(best)
	return nil
}

// overSeeds draws a problem for each seed and gives a figure of it.
func overSeeds(
	seed uint64, seeds int, shape setup.Shape,
	figure func(p *setup.Placing, r *rand.Rand) (float64, error),
) (study.Sample, error) {
	values := make([]float64, seeds)
	for i := range values {
		r := rand.New(rand.NewPCG(seed+uint64(i), 7))
		var err error
		if values[i], err = figure(setup.DrawPlacing(r, shape), r); err != nil {
			return study.Sample{}, err
		}
	}
	return study.BySeed(values), nil
}

// earlyPlacing shows what the place is worth if only some of the maps are known.
func earlyPlacing(o study.Options, seeds int, r *study.Result) (*study.Figure, error) {
	fig := &study.Figure{
		Name: "known", Title: "What an early start knows", X: "part of the maps known",
		Y: "distance saved (%)",
	}
	shape := ablationShapes()[2]
	parts := []float64{0.05, 0.2, 0.5, 1}
	for _, way := range []struct {
		name  string
		blind bool
		want  []float64
	}{
		{"known sizes only", true, []float64{4.3, 8.5, 13.8, 19.5}},
		{"with projection", false, []float64{8.3, 10.9, 15.2, 19.5}},
	} {
		s, dashed := &study.Series{Name: way.name, X: parts},
			&study.Series{Name: way.name + ", estimate", X: parts, Y: way.want, Dashed: true}
		for i, part := range parts {
			rule := setup.Rule{
				Known: part,
				Policy: scheduling.ReducePolicy{
					Rule: scheduling.CoGRS, NoProjection: way.blind,
					Waits: [2]time.Duration{placingWaits, placingWaits},
				},
			}
			saved, err := overSeeds(o.Seed, seeds, shape,
				func(p *setup.Placing, r *rand.Rand) (float64, error) {
					where, err := p.ByCore(rule, r)
					return p.Cut(where), err
				})
			if err != nil {
				return nil, err
			}
			s.AddBar(saved)
			if part == 1 && !way.blind { // nothing is left to be projected
				continue
			}
			r.Add(study.OwnRow(fmt.Sprintf("%v; %g %% of the maps known, %s: saved", shape,
				100*part, way.name), "%", fmt.Sprintf("near the estimate of %g", way.want[i]),
				study.Near(way.want[i]), saved))
		}
		fig.Series = append(fig.Series, s, dashed)
	}
	return fig, nil
}
