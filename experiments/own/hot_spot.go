package own

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/tarry-mr/tarry/experiments/internal/setup"
	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/event"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// The hot spot: so many of the job's maps run on one node, the others one a node.
const (
	hotNodes   = 14
	hotMaps    = 8
	hotReduces = 56
)

// hotUncapped names the run without a cap.
const hotUncapped = "without cap"

// pileUp is what became of the job with the hot spot.
type pileUp struct {
	distance study.Sample // WTND, in per cent of the greatest possible
	largest  study.Sample // reduces on one node
	sojourn  study.Sample // seconds
}

// HotSpot is SPARK-10087: reduces without skew all prefer the node with the most outputs; the cap
// spreads them.
func HotSpot(ctx context.Context, o study.Options) (*study.Result, error) {
	r := &study.Result{Setup: hotSpotSetup()}
	fig := study.Figure{
		Name: "cap", Title: "What the cap on reduces a node costs and saves",
		X: "cap c: ceil(c R / feeding nodes) reduces a node", Y: "per cent, reduces, seconds",
		Series: []*study.Series{
			{Name: "distance (% of the greatest)"},
			{Name: "reduces on the fullest node"},
			{Name: "time of the job (s)"},
		},
	}
	run := func(name string, rule scheduling.ReducePolicy) (pileUp, error) {
		at, err := hotRun(ctx, o, rule)
		if name != hotUncapped { // judged below
			r.Add(study.Shown(name+": reduces on the fullest node", "", at.largest))
		}
		r.Add(study.Shown(name+": distance", "% of the greatest", at.distance),
			study.Shown(name+": time of the job", "s", at.sojourn))
		return at, err
	}
	if _, err := run("any node that asks", scheduling.ReducePolicy{}); err != nil {
		return nil, err
	}
	points := map[float64]pileUp{}
	for _, c := range []float64{1, 1.5, 2, 3, 5, 8, -1} {
		name := fmt.Sprintf("cap %g", c)
		if c < 0 {
			name = hotUncapped
		}
		at, err := run(name, scheduling.ReducePolicy{
			Rule: scheduling.CoGRS, SkewCap: c, Waits: [2]time.Duration{sweepWaits, sweepWaits},
		})
		if err != nil {
			return nil, err
		}
		points[c] = at
		if c > 0 {
			for k, y := range []study.Sample{at.distance, at.largest, at.sojourn} {
				fig.Series[k].AddSample(c, y)
			}
		}
	}
	free, capped := points[-1], points[1.5]
	r.Add(capRows(free, capped)...)
	r.Figures = []study.Figure{fig}
	r.Notes = hotSpotNotes()
	return r, nil
}

// hotSpotSetup names the choices.
func hotSpotSetup() []string {
	return []string{
		fmt.Sprintf("%d nodes in 2 racks, 8 map and %d reduce slots each, so that one node could "+
			"take all reduces; links of 1 Gb/s, uplinks over-subscribed 3:1, flows share fairly.",
			hotNodes, hotReduces),
		fmt.Sprintf("One job: %d of its 20 maps on one node, one on each of 12 others; %d "+
			"reduces, every partition alike; the shuffle is four times the input, 10 GB.", hotMaps,
			hotReduces),
		"Order fair with maps beside their data; reduces start after the last map, waits of 4.5 " +
			"s; tasks share nothing but links.",
		"Distance is WTND over its greatest value, all bytes off the rack; the best placement " +
			"with the default cap is the Hungarian assignment.",
	}
}

// capRows compares the job without cap with the one under the default cap.
func capRows(free, capped pileUp) []study.Row {
	random, best := hotBounds()
	less := func(a float64, b study.Sample) study.Sample {
		return study.Pair(b, b, func(b, _ float64) float64 { return a - b })
	}
	return []study.Row{
		study.OwnRow(hotUncapped+": reduces on the fullest node", "", "nearly all, SPARK-10087",
			study.More(0.9*hotReduces), free.largest),
		study.OwnRow("with the default cap: reduces on the fullest node", "",
			"at most its part and half as much",
			study.AtMost(math.Ceil(1.5*hotReduces/(hotNodes-1))), capped.largest),
		study.Shown("what the default cap costs: distance", "points",
			capped.distance.Minus(free.distance)),
		study.Shown("reduces on random nodes: distance", "% of the greatest",
			study.Sure(random)),
		study.OwnRow(
			"what placement with the default cap still saves over random nodes: distance", "points",
			"more than nothing", study.More(0), less(random, capped.distance),
		),
		study.Shown("best placement with the default cap: distance", "% of the greatest",
			study.Sure(best)),
		study.OwnRow("time of the job without cap over with", "×",
			"one link takes all that the cap spreads", study.More(1),
			free.sojourn.Over(capped.sojourn)),
	}
}

// hotSpotNotes say what a reader should know.
func hotSpotNotes() []string {
	return []string{
		"The pile-up has the least distance and so looks best by bytes moved; the link of the " +
			"one node makes it slow. In a cluster whose tasks share processors and disks it " +
			"would be slower still.",
	}
}

// hotPlaces puts the maps: the first ones on node 0, each of the others on a node of its own.
func hotPlaces() (at []int) {
	for m := range 20 {
		at = append(at, max(0, m-hotMaps+1))
	}
	return at
}

// hotRun runs the job once for each seed.
func hotRun(ctx context.Context, o study.Options, rule scheduling.ReducePolicy) (pileUp, error) {
	p := setup.Preset("fair", func(p *scheduling.Policy) {
		setup.Waits(time.Minute, time.Minute)(p)
		p.Reduce, p.SlowStart = rule, 1
	})
	places := scheduling.Places{Offsets: []int32{0}}
	for _, n := range hotPlaces() {
		places.Nodes = append(places.Nodes, scheduling.NodeID(n))
		places.Offsets = append(places.Offsets, int32(len(places.Nodes)))
	}
	input := int64(20 * workload.DefaultBlock)
	w := workload.Workload{Jobs: []workload.Job{{
		Name: "hot", User: "u", Maps: 20, Reduces: hotReduces, InputBytes: input,
		ShuffleBytes: 4 * input, Map: workload.Cost{Time: 10 * time.Second, Spread: 0.3},
	}}}
	seeds := o.Repeats(1, 10)
	var distance, largest, sojourn []float64
	for i := range seeds {
		on := [hotNodes]int{}
		cfg := simulator.Config{
			Cluster: simulator.Cluster{
				Nodes: hotNodes, Racks: 2, MapSlots: hotMaps, ReduceSlots: hotReduces,
			}, Network: simulator.Network{Flows: true, Oversubscription: 3},
			Drive: simulator.HeartbeatDrive, Interval: setup.BeatEvery, Policy: p,
			Seed: o.Seed + uint64(i), TellProgress: true,
			Places: func(int) scheduling.Places { return places },
		}
		cfg.Core.Events = func(e event.Event) {
			if e.Type == event.Launched && e.Kind == scheduling.Reduce {
				on[e.Node]++
			}
		}
		res, err := simulator.Run(ctx, cfg, &w)
		if err != nil {
			return pileUp{}, err
		}
		distance = append(distance, 100*setup.WTND(res)/float64(4*w.Jobs[0].ShuffleBytes))
		sojourn = append(sojourn, setup.MeanSojourn(res))
		largest = append(largest, float64(slices.Max(on[:])))
	}
	return pileUp{
		study.BySeed(distance), study.BySeed(largest), study.BySeed(sojourn),
	}, nil
}

// hotBounds gives the distance of reduces on random nodes and of the best placement with the
// default cap, in per cent of the greatest.
func hotBounds() (random, best float64) {
	p := setup.Placing{Slots: hotReduces, At: hotPlaces()}
	for n := range hotNodes {
		p.RackOf = append(p.RackOf, n*2/hotNodes)
	}
	for range p.At {
		row := make([]int64, hotReduces)
		for i := range row {
			row[i] = 1000
		}
		p.Bytes = append(p.Bytes, row)
	}
	greatest := float64(4 * 1000 * len(p.At) * hotReduces)
	where := p.Best(p.SkewCap())
	for r, row := range p.Costs() {
		best += 100 * float64(row[where[r]]) / greatest
		for _, c := range row {
			random += 100 * float64(c) / greatest / hotNodes
		}
	}
	return random, best
}
