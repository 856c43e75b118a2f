package own

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/tarry-mr/tarry/experiments/internal/setup"
	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// The jobs whose keys are divided.
const (
	leenNodes = 20
	leenMaps  = 80
	leenBytes = leenMaps * workload.DefaultBlock
)

// LEEN asks what dividing keys by locality and fairness is worth against hash partitions, wherever
// their reduces are placed.
func LEEN(ctx context.Context, o study.Options) (*study.Result, error) {
	r := &study.Result{Setup: []string{
		fmt.Sprintf("%d nodes in 4 racks, 4 map and 2 reduce slots each; links of 1 Gb/s, uplinks "+
			"over-subscribed 3:1, flows share fairly; event drive.", leenNodes),
		fmt.Sprintf("Jobs one after another, each of %d maps of 128 MB with as much output, and a "+
			"reduce a node; keys uniform or by Zipf's law; in each map's output each key's weight "+
			"has a lognormal factor of sigma 1.", leenMaps),
		"Hash: a key goes to a partition by lot. LEEN [Ibrahim10, formula from memory]: keys in the " +
			"order of fairness over locality, each to the node with most of it unless the next one " +
			"is fairer; the reduce of that node runs there. It knows the bytes of each key at each " +
			"node, for nothing.",
		"Order fair, W1 = W2 = 3 s, reduces start after the last map under all: LEEN cannot " +
			"shuffle earlier, the others could. CoGRS and LARTS with waits of their defaults.",
	}}
	jobs := 4
	if o.Quick {
		jobs = 1
	}
	for _, keys := range []workload.Keys{
		{Count: 400, Spread: 1}, {Count: 400, Zipf: 0.8, Spread: 1},
	} {
		name := "uniform keys"
		if keys.Zipf > 0 {
			name = "Zipf 0.8"
		}
		all, err := leenRun(ctx, o, jobs, keys)
		if err != nil {
			return nil, err
		}
		r.Add(leenRows(name, keys.Zipf > 0, all)...)
	}
	r.Notes = []string{
		"A key is never split: where one key is more than a reduce's part, no division is fair.",
	}
	return r, nil
}

// leenRun runs jobs with such keys under each placement.
func leenRun(
	ctx context.Context, o study.Options, jobs int, keys workload.Keys,
) ([]simulator.Contest, error) {
	list := setup.Placements()
	list = append(list, simulator.Contender{
		Name: "LEEN", Policy: setup.Preset("fair", func(p *scheduling.Policy) {
			setup.Waits(3*time.Second, 3*time.Second)(p)
			p.Reduce.Part, p.SlowStart = simulator.LEEN, 1
		}),
	})
	cfg := simulator.Config{
		Cluster: simulator.Cluster{Nodes: leenNodes, Racks: 4},
		Network: simulator.Network{Flows: true, Oversubscription: 3}, Seed: o.Seed,
		Submission: simulator.Submission{Rule: simulator.Serial},
	}
	return setup.Contests(ctx, cfg, list, o.Repeats(1, 10), func(*rand.Rand) workload.Workload {
		w := setup.ShuffleJobs(jobs, leenMaps, leenNodes, 0)
		for i := range w.Jobs {
			w.Jobs[i].Keys = keys
		}
		return w
	})
}

// leenMoved is the shuffled bytes that left their node, in per cent.
func leenMoved(r *simulator.Result) float64 {
	s := r.Report.Shuffle
	return 100 * float64(s.RackLocal+s.OffRack) / float64(s.NodeLocal+s.RackLocal+s.OffRack)
}

// leenLargest is the largest reduce over the mean one, the mean of jobs.
func leenLargest(r *simulator.Result) float64 {
	var all []float64
	for i := range r.Jobs {
		all = append(all, float64(r.Jobs[i].Largest)*leenNodes/leenBytes)
	}
	return setup.Average(all)
}

// leenRows are what a kind of keys gives; the contests are any node, CoGRS, LARTS and LEEN.
func leenRows(name string, skewed bool, all []simulator.Contest) (rows []study.Row) {
	for i := range all {
		c := &all[i]
		rows = append(rows,
			study.Shown(name+", "+c.Name+": bytes moved", "%", setup.Each(c, leenMoved)),
			study.Shown(name+", "+c.Name+": largest reduce over the mean", "×",
				setup.Each(c, leenLargest)),
			study.Shown(name+", "+c.Name+": time of a job", "s",
				setup.Each(c, setup.MeanSojourn)))
	}
	cogrs, leen := &all[1], &all[3]
	faster := study.OwnRow(name+": time of a job, CoGRS over LEEN", "×", "LEEN is faster",
		study.More(1),
		setup.Each(cogrs, setup.MeanSojourn).Over(setup.Each(leen, setup.MeanSojourn)))
	if !skewed { // no fault of the division moves it beyond its interval
		faster.Kind = study.Context
	}
	return append(rows,
		study.OwnRow(name+": bytes moved, CoGRS less LEEN", "points", "LEEN moves less",
			study.More(0), setup.Each(cogrs, leenMoved).Minus(setup.Each(leen, leenMoved))),
		study.OwnRow(name+": largest reduce, CoGRS over LEEN", "×", "LEEN is fairer",
			study.More(1), setup.Each(cogrs, leenLargest).Over(setup.Each(leen, leenLargest))),
		faster)
}
