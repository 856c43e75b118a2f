package tune

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator"
)

// Found is the result of a search: the recommended changes and their gain.
type Found struct {
	Policy  scheduling.Policy  `json:"-"` // with the changes; without changes, the start policy
	Goal    Goal               `json:"goal"`
	Start   map[Goal]float64   `json:"start"`   // the figures of all goals, means over the fresh seeds
	Changed map[Goal]float64   `json:"changed"` // the same figures, with the changes
	Gain    simulator.Estimate `json:"gain"`    // of the goal's figure: with the changes minus at the start; negative is better
	// Changes are the recommended changes, each with its effect compared with undoing it alone.
	// Unsure are other choices that the search took but the fresh seeds did not confirm. It also
	// has the best choices of other knobs that looked better in the search, but not significantly.
	Changes []Change `json:"changes"`
	Unsure  []Change `json:"unsure"`
	Runs    int      `json:"runs"` // number of simulations
	Seeds   int      `json:"fresh_seeds"`
}

// Change is a choice for a knob with its effect: the goal's figure with it minus without it.
type Change struct {
	Knob  string             `json:"knob"`
	Set   string             `json:"set"`
	Worth simulator.Estimate `json:"worth"`
}

// judge verifies with fresh seeds the choices that the search has made, by index of the knob. It
// drops the most doubtful one until each has a significant gain.
func (s *search) judge(ctx context.Context, choices map[int]Choice) (*Found, error) {
	start, err1 := s.fresh(ctx, nil)
	current, err2 := s.fresh(ctx, choices)
	if err := cmp.Or(err1, err2); err != nil {
		return nil, err
	}
	out := &Found{Goal: s.Goal, Seeds: s.Fresh, Changes: []Change{}, Unsure: []Change{}}
	for len(choices) > 0 {
		changes, doubtful, err := s.undoEach(ctx, choices, current)
		if err != nil {
			return nil, err
		}
		if doubtful < 0 {
			out.Changes = changes
			break
		}
		at := slices.Index(slices.Sorted(maps.Keys(choices)), doubtful)
		out.Unsure = append(out.Unsure, changes[at])
		delete(choices, doubtful)
		if current, err = s.fresh(ctx, choices); err != nil {
			return nil, err
		}
	}
	return s.conclude(out, start, current), nil
}

// fresh simulates the start with these choices, by index of the knob, with the fresh seeds.
func (s *search) fresh(ctx context.Context, choices map[int]Choice) (state, error) {
	p := s.Start
	for _, k := range slices.Sorted(maps.Keys(choices)) {
		c := choices[k]
		if err := c.apply(&p); err != nil {
			return state{}, err
		}
	}
	return s.run(ctx, p, s.Seed+uint64(s.Seeds), s.Fresh)
}

// undoEach undoes each change separately and returns the effects of the changes. `doubtful` is the
// knob of the least certain gain, of those that are not significant; -1 if all gains are.
func (s *search) undoEach(ctx context.Context, choices map[int]Choice, current state) (list []Change, doubtful int, err error) {
	doubtful = -1
	least := 0.0
	for _, k := range slices.Sorted(maps.Keys(choices)) {
		rest := maps.Clone(choices)
		delete(rest, k)
		without, err := s.fresh(ctx, rest)
		if err = errors.Join(err, ctx.Err()); err != nil {
			return nil, -1, err
		}
		worth := s.minus(current, without, s.Goal)
		list = append(list, Change{s.Knobs[k].Name, choices[k].Text, worth})
		if top := worth.Mean + worth.Half; !worth.Below() && (doubtful < 0 || top > least) {
			doubtful, least = k, top
		}
	}
	return list, doubtful, nil
}

// conclude completes `out`: it compares the remaining changes together (current) with the start,
// both with the fresh seeds. If they do not improve the goal significantly, they move to Unsure.
func (s *search) conclude(out *Found, start, current state) *Found {
	out.Policy, out.Runs = current.policy, s.runs
	for _, k := range s.Knobs {
		known := func(c Change) bool { return c.Knob == k.Name }
		if m, ok := s.nearMisses[k.Name]; ok && !slices.ContainsFunc(out.Changes, known) && !slices.ContainsFunc(out.Unsure, known) {
			out.Unsure = append(out.Unsure, m)
		}
	}
	out.Start, out.Changed = average(start.runs), average(current.runs)
	if len(out.Changes) == 0 {
		out.Policy, out.Changed = s.Start, out.Start
		return out
	}
	out.Gain = s.minus(current, start, s.Goal)
	rises := s.Goal != MeanSojourn && out.Changed[MeanSojourn] > (1+s.Within)*out.Start[MeanSojourn]
	if !out.Gain.Below() || rises { // not significant, or jobs take too much longer
		out.Unsure = append(out.Unsure, out.Changes...)
		out.Policy, out.Changed, out.Changes = s.Start, out.Start, []Change{}
	}
	return out
}

// average returns, for each goal, the mean of its figure over the runs.
func average(runs []*simulator.Figures) map[Goal]float64 {
	means := map[Goal]float64{}
	for _, g := range Goals() {
		means[g] = mean(runs, g)
	}
	return means
}
