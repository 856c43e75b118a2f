package setup

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// Preset is a named policy, changed. The names are constants of the experiments: one that does not
// exist panics.
func Preset(name string, change func(*scheduling.Policy)) scheduling.Policy {
	p, err := scheduling.Preset(name)
	if err != nil {
		panic(err)
	}
	if change != nil {
		change(&p)
	}
	return p
}

// Waits makes a policy wait w1 for a node and w2 more for a rack; zero waits are greedy locality.
func Waits(w1, w2 time.Duration) func(*scheduling.Policy) {
	return func(p *scheduling.Policy) {
		p.Locality = scheduling.LocalityPolicy{
			Rule: scheduling.TimedWait, Waits: []time.Duration{w1, w2},
		}
		if w1 == 0 && w2 == 0 {
			p.Locality = scheduling.LocalityPolicy{Rule: scheduling.Greedy}
		}
	}
}

// Packed is a policy without a load manager that spreads tasks over nodes.
func Packed(p *scheduling.Policy) { p.Spread = false }

// Capped cuts the jobs of a quick run's workload to 400 maps and so many reduces; a full run keeps
// its own.
func Capped(s *study.Study, reduces int, load study.Load) study.Load {
	if !s.Quick {
		return load
	}
	const maps = 400
	return study.Changed(load, func(j *workload.Job) {
		if j.Maps > maps {
			j.InputBytes = j.InputBytes / int64(j.Maps) * int64(maps)
			j.ShuffleBytes = j.ShuffleBytes / int64(j.Maps) * int64(maps)
			j.Maps = maps
		}
		j.Reduces = min(j.Reduces, reduces)
	})
}

// OldCapped is Capped.
func OldCapped(
	o study.Options, reduces int, load func(r *rand.Rand) workload.Workload,
) func(r *rand.Rand) workload.Workload {
	if !o.Quick {
		return load
	}
	const maps = 400
	return func(r *rand.Rand) workload.Workload {
		w := load(r)
		for i := range w.Jobs {
			j := &w.Jobs[i]
			if j.Maps > maps {
				j.InputBytes = j.InputBytes / int64(j.Maps) * int64(maps)
				j.ShuffleBytes = j.ShuffleBytes / int64(j.Maps) * int64(maps)
				j.Maps = maps
			}
			j.Reduces = min(j.Reduces, reduces)
		}
		return w
	}
}

// Contest runs one policy over several seeds of a workload.
func Contest(
	ctx context.Context, cfg simulator.Config, p scheduling.Policy, repeat int,
	load func(r *rand.Rand) workload.Workload,
) (*simulator.Contest, error) {
	all, err := Contests(ctx, cfg, []simulator.Contender{{Name: p.Name, Policy: p}}, repeat, load)
	if err != nil {
		return nil, err
	}
	return &all[0], nil
}

// Contests runs several policies over the same seeds of a workload.
func Contests(
	ctx context.Context, cfg simulator.Config, list []simulator.Contender, repeat int,
	load func(r *rand.Rand) workload.Workload,
) ([]simulator.Contest, error) {
	all, err := simulator.Compare(ctx, cfg, list, repeat,
		func(seed uint64) (*workload.Workload, error) {
			w := load(rand.New(rand.NewPCG(seed, 0)))
			return &w, nil
		})
	if err != nil {
		return nil, fmt.Errorf("simulation: %w", err)
	}
	return all, nil
}
