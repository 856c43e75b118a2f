package own

import (
	"fmt"
	"slices"
	"time"

	"github.com/tarry-mr/tarry/experiments/internal/setup"
	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/event"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// Of the job with a hot spot, spotMaps maps run on one node, and each other map on its own node.
const (
	spotNodes   = 14
	spotMaps    = 8
	spotReduces = 56
)

// reduceWaits are the times for which a reduce waits for its center of gravity, then for its rack.
var reduceWaits = [2]time.Duration{4500 * time.Millisecond, 4500 * time.Millisecond}

// pileUp is the result of the job with the hot spot: WTND as a percentage of the maximum, reduces
// on the node with the most, and the sojourn time in seconds.
type pileUp struct{ distance, largest, sojourn study.Sample }

// hotSpot measures the problem of SPARK-10087: all reduces prefer the node with the most map
// output. A cap on the reduces of a node spreads them.
func hotSpot(s *study.Study) {
	s.Fill("nodes", spotNodes, "maps", spotMaps, "reduces", spotReduces)
	fig := s.Plot("cap")
	run := func(name string, rule scheduling.ReducePolicy) pileUp {
		at := spotRun(s, rule)
		if rule.SkewCap >= 0 { // below is that row of the run without cap
			s.Row(name+": reduces on the fullest node", at.largest)
		}
		s.Row(name+": distance", at.distance)
		s.Row(name+": time of the job", at.sojourn)
		return at
	}
	run("any node that asks", scheduling.ReducePolicy{})
	rule := scheduling.ReducePolicy{Rule: scheduling.CoGRS, Waits: reduceWaits}
	var capped pileUp // by the default cap
	for _, rule.SkewCap = range []float64{1, 1.5, 2, 3, 5, 8} {
		at := run(fmt.Sprintf("cap %g", rule.SkewCap), rule)
		if rule.SkewCap == 1.5 {
			capped = at
		}
		fig.AddSample("distance (% of the greatest)", rule.SkewCap, at.distance)
		fig.AddSample("reduces on the fullest node", rule.SkewCap, at.largest)
		fig.AddSample("time of the job (s)", rule.SkewCap, at.sojourn)
	}
	rule.SkewCap = -1
	free := run("without cap", rule)
	random, best := spotBounds()
	s.Row("without cap: reduces on the fullest node", free.largest)
	s.Row("with the default cap: reduces on the fullest node", capped.largest)
	s.Row("what the default cap costs: distance", capped.distance.Minus(free.distance))
	s.Row("reduces on random nodes: distance", study.Sure(random))
	s.Row("what placement with the default cap still saves over random nodes: distance",
		study.Pair(capped.distance, capped.distance, func(b, _ float64) float64 { return random - b }))
	s.Row("best placement with the default cap: distance", study.Sure(best))
	s.Row("time of the job without cap over with", free.sojourn.Over(capped.sojourn))
}

// spotPlaces returns the node of each map: node 0 for the first spotMaps, a separate node for each
// other one.
func spotPlaces() (at []int) {
	for m := range 20 {
		at = append(at, max(0, m-spotMaps+1))
	}
	return at
}

// spotRun simulates the job with the hot spot, once for each seed, with a rule for its reduces.
func spotRun(s *study.Study, rule scheduling.ReducePolicy) pileUp {
	p := study.Policy("fair", "fair", setup.Waits(time.Minute, time.Minute),
		func(p *scheduling.Policy) { p.Reduce, p.SlowStart = rule, 1 })
	at := spotPlaces()
	places := setup.Places(len(at), func(i int) []int { return at[i : i+1] })
	input := int64(20 * workload.DefaultBlock)
	w := workload.Workload{Jobs: []workload.Job{{
		Name: "hot", User: "u", Maps: 20, Reduces: spotReduces, InputBytes: input,
		ShuffleBytes: 4 * input, Map: workload.Cost{Time: 10 * time.Second, Spread: 0.3},
	}}}
	all := s.Seeds(s.Repeats(1, 10), func(seed uint64) []float64 {
		on := [spotNodes]int{}
		cfg := simulator.Config{
			Cluster: simulator.Cluster{
				Nodes: spotNodes, Racks: 2, MapSlots: spotMaps, ReduceSlots: spotReduces,
			}, Network: simulator.Network{Flows: true, Oversubscription: 3},
			Drive: simulator.HeartbeatDrive, Interval: setup.BeatEvery, Policy: p.Policy, Seed: seed,
			TellProgress: true,
			Places:       func(int) scheduling.Places { return places },
		}
		cfg.Core.Events = func(e event.Event) {
			if e.Type == event.Launched && e.Kind == scheduling.Reduce {
				on[e.Node]++
			}
		}
		r := s.Run(cfg, &w)
		return []float64{
			100 * study.WTND(r) / float64(4*w.Jobs[0].ShuffleBytes), float64(slices.Max(on[:])),
			study.MeanSojourn(r),
		}
	})
	return pileUp{all[0], all[1], all[2]}
}

// spotBounds returns the distance of reduces on random nodes and of the best placement with the
// default cap, as percentages of the maximum.
func spotBounds() (random, best float64) {
	p := setup.Placing{Slots: spotReduces, At: spotPlaces()}
	for n := range spotNodes {
		p.RackOf = append(p.RackOf, n*2/spotNodes)
	}
	p.Bytes = slices.Repeat([][]int64{slices.Repeat([]int64{1000}, spotReduces)}, len(p.At))
	greatest := float64(4 * 1000 * len(p.At) * spotReduces)
	where := p.Best(p.SkewCap())
	for r, row := range p.Costs() {
		best += 100 * float64(row[where[r]]) / greatest
		for _, c := range row {
			random += 100 * float64(c) / greatest / spotNodes
		}
	}
	return random, best
}
