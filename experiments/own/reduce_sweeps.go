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

// reduceSeconds is the time that a result's reduces held slots, by job, in seconds.
func reduceSeconds(r *simulator.Result) float64 {
	sum := time.Duration(0)
	for i := range r.Jobs {
		sum += r.Jobs[i].Busy[1]
	}
	return sum.Seconds() / float64(len(r.Jobs))
}

// sweepPoint is what one setting of reduce placement gives.
type sweepPoint struct {
	// saved over any-node placement with the same start, in per cent
	distance, offRack study.Sample
	held              study.Sample // by reduces, slot-seconds a job
	sojourn           study.Sample // mean, in seconds
}

// sweepWaits is how long reduces wait in the sweeps, for the center and for its rack.
const sweepWaits = 4500 * time.Millisecond

// ReduceSweeps changes one setting of reduce placement at a time: when reduces start, how long they
// wait, and what the rule looks at.
func ReduceSweeps(ctx context.Context, o study.Options) (*study.Result, error) {
	r := &study.Result{Setup: []string{
		"14 nodes in 2 racks, 4 map and 2 reduce slots each, heartbeats every 3 s that tell " +
			"progress; jobs of 28 maps and 10 reduces, lognormal factor of sigma 1 on each (map, " +
			"partition); a map computes for 10 s with a lognormal factor of sigma 0.5, so that " +
			"maps end one by one.",
		"One job after the other; in the sweep of waits four at a time, so that the slots at the " +
			"center are often taken.",
		"Order fair with 3 s waits for local maps. Distance (WTND: bytes times 0, 2 or 4) and " +
			"bytes off the rack are compared with any-node placement at the same start.",
		"Unless said: CoGRS, start at half of the maps, projection on, cap 1.5, waits of 4.5 s.",
		"Slot-seconds are those that a job's reduces hold; wasted are those above what the same " +
			"rule holds with a start at the last map.",
	}}
	if err := sweepStart(ctx, o, r); err != nil {
		return nil, err
	}
	if err := sweepWait(ctx, o, r); err != nil {
		return nil, err
	}
	for _, c := range []struct {
		name   string
		change func(*scheduling.Policy)
	}{
		{"without projection", func(p *scheduling.Policy) { p.Reduce.NoProjection = true }},
		{"without cap", func(p *scheduling.Policy) { p.Reduce.SkewCap = -1 }},
		{"LARTS", func(p *scheduling.Policy) { p.Reduce.Rule = scheduling.LARTS }},
	} {
		at, err := reduceRun(ctx, o, 1, c.change)
		if err != nil {
			return nil, err
		}
		r.Add(at.rows(c.name)...)
	}
	r.Notes = []string{
		"What a start at 5, 20, 50 and 100 % of the maps is worth for the place alone, without " +
			"slots and times, is in cogrs-ablation.",
	}
	return r, nil
}

// rows shows a point.
func (at sweepPoint) rows(label string) []study.Row {
	return []study.Row{
		study.Shown(label+": distance saved", "%", at.distance),
		study.Shown(label+": off-rack bytes saved", "%", at.offRack),
		study.Shown(label+": mean sojourn", "s", at.sojourn),
	}
}

// sweepStart looks for the sweet spot: an early start holds slots and knows little, a late one
// shuffles late.
func sweepStart(ctx context.Context, o study.Options, r *study.Result) error {
	place := study.Figure{
		Name: "slow-start", Title: "When reduces start: the place", X: "part of the maps done",
		Y: "distance saved (%)",
	}
	waste := study.Figure{
		Name: "slow-start-slots", Title: "When reduces start: the price",
		X: "part of the maps done", Y: "seconds a job",
		Series: []*study.Series{{Name: "slot-seconds wasted"}, {Name: "mean sojourn"}},
	}
	starts := []float64{0.05, 0.2, 0.35, 0.5, 0.75, 1}
	for _, blind := range []bool{false, true} {
		name := map[bool]string{false: "with projection", true: "known sizes only"}[blind]
		points := make([]sweepPoint, len(starts))
		for i, f := range starts {
			at, err := reduceRun(ctx, o, 1,
				func(p *scheduling.Policy) { p.SlowStart, p.Reduce.NoProjection = f, blind })
			if err != nil {
				return err
			}
			points[i] = at
		}
		s := &study.Series{Name: name, X: starts}
		last := points[len(points)-1]
		for i, at := range points {
			s.AddBar(at.distance)
			if blind {
				r.Add(at.rows(fmt.Sprintf("start at %g of the maps, %s", starts[i], name))[:1]...)
				continue
			}
			for k, y := range []study.Sample{at.held.Minus(last.held), at.sojourn} {
				waste.Series[k].X = starts
				waste.Series[k].AddBar(y)
			}
			r.Add(at.rows(fmt.Sprintf("start at %g of the maps", starts[i]))...)
			r.Add(study.Shown(fmt.Sprintf("start at %g of the maps: reduce slots wasted",
				starts[i]), "s a job", at.held.Minus(last.held)))
		}
		place.Series = append(place.Series, s)
	}
	r.Figures = append(r.Figures, place, waste)
	return nil
}

// sweepWait changes how long reduces wait.
func sweepWait(ctx context.Context, o study.Options, r *study.Result) error {
	fig := study.Figure{
		Name: "reduce-wait", Title: "How long reduces wait, four jobs at a time", X: "wait (s)",
		Y: "saved (%)", Series: []*study.Series{{Name: "distance"}, {Name: "off-rack bytes"}},
	}
	var few, most study.Sample
	for _, s := range []float64{0, 1, 3, 6, 15, 30, 60} {
		d := time.Duration(s * float64(time.Second))
		if s == 0 {
			d = -1
		}
		at, err := reduceRun(ctx, o, 4,
			func(p *scheduling.Policy) { p.Reduce.Waits = [2]time.Duration{d, d} })
		if err != nil {
			return err
		}
		for k, y := range []study.Sample{at.distance, at.offRack} {
			fig.Series[k].AddSample(s, y)
		}
		if s == 0 || at.distance.Mean() > most.Mean() {
			most = at.distance
		}
		if s <= 6 {
			few = most
		}
		r.Add(at.rows(fmt.Sprintf("waits of %g s", s))...)
	}
	r.Add(study.OwnRow("part of the saving that waits of at most two heartbeats give", "%",
		"nearly all of it (a guess)", study.More(80), few.Part(most)))
	r.Figures = append(r.Figures, fig)
	return nil
}

// reduceRun compares CoGRS with a changed policy with any-node placement, so many jobs at a time.
func reduceRun(
	ctx context.Context, o study.Options, active int, change func(*scheduling.Policy),
) (sweepPoint, error) {
	list := setup.Placements()
	list = list[:2]
	for i := range list {
		p := &list[i].Policy
		p.SlowStart, p.Reduce.Waits = 0.5, [2]time.Duration{sweepWaits, sweepWaits}
		change(p)
	}
	list[0].Policy.Reduce = scheduling.ReducePolicy{}
	cfg := simulator.Config{
		Cluster: simulator.Cluster{Nodes: 14, Racks: 2, MapSlots: 4, ReduceSlots: 2},
		Drive:   simulator.HeartbeatDrive, Interval: setup.BeatEvery,
		Seed: o.Seed, Submission: simulator.Submission{Rule: simulator.Closed, Active: active},
		TellProgress: true,
	}
	all, err := setup.Contests(ctx, cfg, list, o.Repeats(2, 20),
		func(*rand.Rand) workload.Workload {
			w := setup.ShuffleJobs(4*active, 28, 10, 1)
			for i := range w.Jobs {
				w.Jobs[i].Map.Time, w.Jobs[i].Map.Spread = 10*time.Second, 0.5
			}
			return w
		})
	if err != nil {
		return sweepPoint{}, err
	}
	saved := func(figure func(*simulator.Result) float64) study.Sample {
		return study.Pair(setup.Each(&all[1], figure), setup.Each(&all[0], figure),
			func(ours, any float64) float64 { return 100 * (1 - ours/any) })
	}
	return sweepPoint{
		saved(setup.WTND), saved(setup.OffRack), setup.Each(&all[1], reduceSeconds),
		setup.Each(&all[1], setup.MeanSojourn),
	}, nil
}
