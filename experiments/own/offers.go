package own

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/tarry-mr/tarry/experiments/internal/setup"
	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/offers"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// The two frameworks, or pools.
const (
	offersFIFO = "production"
	offersFair = "research"
)

// offersWait is delay scheduling's wait for a node.
const offersWait = 5 * time.Second

// offersRun is a way to share the cluster, and what came of it.
type offersRun struct {
	name    string
	policy  scheduling.Policy
	parts   scheduling.Parts
	outcome *simulator.Contest
}

// Offers asks whether delay scheduling works as frameworks' own choice: a master offers each slot to
// one framework, which refuses or takes it, against one scheduler with the same two pools.
func Offers(ctx context.Context, o study.Options) (*study.Result, error) {
	r := &study.Result{Setup: offersSetup()}
	runs := offersRuns()
	for i := range runs {
		if err := runs[i].run(ctx, o); err != nil {
			return nil, err
		}
	}
	local := study.Figure{
		Name: "locality", Title: "Node-local maps", Y: "node-local (%)",
		Series: []*study.Series{{Name: offersFIFO}, {Name: offersFair}},
	}
	for i := range runs {
		one := &runs[i]
		r.Add(
			study.Shown(one.name+": node-local", "%", one.local()),
			study.Shown(one.name+": mean sojourn", "s", one.sojourn()),
			study.Shown(one.name+": map slots of the pools apart, while both have jobs", "%",
				setup.Each(one.outcome, offersApart)),
		)
		local.Categories = append(local.Categories, one.name)
		for k, pool := range []string{offersFIFO, offersFair} {
			local.Series[k].Y = append(local.Series[k].Y, one.localOf(pool).Mean())
		}
	}
	r.Add(offersRows(runs)...)
	r.Figures = []study.Figure{local}
	r.Notes = []string{
		"Without waits offers and hfs launch the same tasks at the same nodes: the order of frameworks " +
			"is that of pools.",
		"A refusal costs nothing here but the filter: offers take no time, and one framework's " +
			"thinking holds back no slot of another. In Mesos an offer is out for as long as the " +
			"framework has not answered.",
	}
	return r, nil
}

// offersSetup names the choices.
func offersSetup() []string {
	return append(slices.Clone(setup.EC2Setup()),
		"Workload: the 100 jobs of the IO-heavy macrobenchmark [Zaharia10 Table 2], dealt in turn "+
			"to two pools of equal weight: production, first in first out, and research, fair.",
		"One scheduler: order pools, W1 = 5 s, or no wait. Offers: the master offers each free slot "+
			"to the framework with fewer running tasks, then to the other; each framework waits "+
			"5 s for a node by itself, or does not.",
		"Filter: for so long a framework is not offered a node that it has refused; 5 s is what "+
			"Mesos has. A new job revives the offers of its framework.",
		"Slots apart: |a - b| / (a + b) of the map slots that the pools hold, mean over the seconds "+
			"in which both have an open job, whatever they ask for.",
	)
}

// offersRuns are the ways to share the cluster.
func offersRuns() []offersRun {
	pooled := func(name string, wait time.Duration) offersRun {
		return offersRun{name: name, policy: setup.Preset("hfs", func(p *scheduling.Policy) {
			setup.Waits(wait, 0)(p)
			p.Spread = false
			p.Pools = scheduling.Allocations{Pools: []scheduling.PoolConfig{
				{Name: offersFIFO, Mode: scheduling.FIFOMode},
				{Name: offersFair, Mode: scheduling.FairMode},
			}}
		})}
	}
	offered := func(name string, filter time.Duration, waits ...time.Duration) offersRun {
		return offersRun{
			name: name, policy: offers.Policy(), parts: offers.Parts(offers.Config{
				Filter: filter, Frameworks: []offers.Framework{
					{Name: offersFIFO, FIFO: true, Waits: waits[:1]},
					{Name: offersFair, Waits: waits[1:]},
				},
			}),
		}
	}
	return []offersRun{
		pooled("hfs, no wait", 0), pooled("hfs, 5 s", offersWait),
		offered("offers, no wait", 0, 0, 0),
		offered("offers, 5 s", 0, offersWait, offersWait),
		offered("offers, 5 s, filter 5 s", 5*time.Second, offersWait, offersWait),
		offered("offers, 5 s, filter 60 s", time.Minute, offersWait, offersWait),
		offered("offers, only research waits", 0, 0, offersWait),
	}
}

// run simulates it.
func (x *offersRun) run(ctx context.Context, o study.Options) (err error) {
	cfg := setup.EC2()
	cfg.Seed, cfg.Sample, cfg.Core.Parts = o.Seed, time.Second, x.parts
	x.outcome, err = setup.Contest(ctx, cfg, x.policy, o.Repeats(1, 10),
		setup.OldCapped(o, 10, func(r *rand.Rand) workload.Workload {
			w := workload.FacebookIO(r)
			for i := range w.Jobs {
				w.Jobs[i].Pool = []string{offersFIFO, offersFair}[i%2]
			}
			return w
		}))
	return err
}

func (x *offersRun) local() study.Sample   { return setup.Each(x.outcome, setup.NodeLocal) }
func (x *offersRun) sojourn() study.Sample { return setup.Each(x.outcome, setup.MeanSojourn) }

// localOf is the part of a pool's maps beside their data, in per cent.
func (x *offersRun) localOf(pool string) study.Sample {
	return setup.Each(x.outcome, func(r *simulator.Result) float64 {
		local, all := 0, 0
		for i := range r.Jobs {
			if j := &r.Jobs[i]; j.Pool == pool {
				local, all = local+j.Maps.NodeLocal, all+j.Maps.All()
			}
		}
		return 100 * float64(local) / float64(max(all, 1))
	})
}

// offersApart is how far apart the map slots of the pools are while both have open jobs, in per cent
// of what they hold together.
func offersApart(r *simulator.Result) float64 {
	var apart []float64
	for _, s := range r.Samples {
		var open [2]bool
		for i := range r.Jobs {
			if j := &r.Jobs[i]; j.Arrived <= s.At && s.At < j.Ended {
				open[i%2] = true
			}
		}
		var held [2]float64
		for _, j := range s.Jobs {
			held[j.Job%2] += float64(j.Slots[0])
		}
		if both := held[0] + held[1]; open[0] && open[1] && both > 0 {
			apart = append(apart, 100*math.Abs(held[0]-held[1])/both)
		}
	}
	return setup.Average(apart)
}

// offersRows judge what is expected of frameworks that choose by themselves.
func offersRows(runs []offersRun) []study.Row {
	hfs, greedy, waiting, filtered, picky := &runs[1], &runs[2], &runs[3], &runs[5], &runs[6]
	return []study.Row{
		study.OwnRow("node-local maps, offers less hfs, each with 5 s", "points",
			"similar [Zaharia10 §6]: within 2", study.Between(-2, 2),
			waiting.local().Minus(hfs.local())),
		study.OwnRow("offers: node-local maps that waiting adds", "points", "delay scheduling",
			study.More(0), waiting.local().Minus(greedy.local())),
		study.OwnRow("mean sojourn, offers over hfs, each with 5 s", "×",
			"the same: within a tenth", study.Between(0.9, 1.1),
			waiting.sojourn().Over(hfs.sojourn())),
		study.OwnRow("mean sojourn, filter 60 s over no filter", "×",
			"nodes kept from those who refused them are missed", study.More(1),
			filtered.sojourn().Over(waiting.sojourn())),
		study.OwnRow("only research waits: its node-local maps less those of production", "points",
			"each has what it chooses", study.More(0),
			picky.localOf(offersFair).Minus(picky.localOf(offersFIFO))),
	}
}
