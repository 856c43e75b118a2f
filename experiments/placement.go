package experiments

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/tarry-mr/tarry/scheduling"
)

// placing is a problem of its own: the outputs of a job's maps lie on nodes, where do its reduces go? Nothing else takes time or slots.
type placing struct {
	rackOf []int     // by node
	slots  int       // reduce slots a node
	at     []int     // by map: its node
	bytes  [][]int64 // by map and reduce
}

// placingShape is what drawPlacing draws from.
type placingShape struct {
	nodes, racks, slots, maps, reduces int
	sigma                              float64 // of a lognormal factor on each (map, reduce)
	crowd                              float64 // exponent of Zipf's law over the nodes that maps are drawn from; 0 spreads them evenly
}

// String names the shape in a row.
func (s placingShape) String() string {
	name := fmt.Sprintf("%d nodes in %d racks, %d maps, %d reduces, σ = %g", s.nodes, s.racks, s.maps, s.reduces, s.sigma)
	if s.crowd > 0 {
		name += ", crowded"
	}
	return name
}

// errUnplaced says that reduces found no slot.
var errUnplaced = errors.New("reduces are left without a slot")

// drawPlacing draws a problem: maps on random nodes, a megabyte from each to each reduce times its factor.
func drawPlacing(r *rand.Rand, s placingShape) *placing {
	p := &placing{slots: s.slots, rackOf: make([]int, s.nodes), at: make([]int, s.maps), bytes: make([][]int64, s.maps)}
	weight, order := make([]float64, s.nodes), r.Perm(s.nodes)
	sum := 0.0
	for n := range s.nodes {
		p.rackOf[n] = n * s.racks / s.nodes
		weight[n] = math.Pow(float64(n+1), -s.crowd)
		sum += weight[n]
	}
	for m := range s.maps {
		n, x := 0, r.Float64()*sum
		for x -= weight[0]; x >= 0 && n+1 < s.nodes; x -= weight[n] {
			n++
		}
		p.at[m] = order[n]
		p.bytes[m] = make([]int64, s.reduces)
		for i := range p.bytes[m] {
			p.bytes[m][i] = int64(1e6 * math.Exp(s.sigma*r.NormFloat64()))
		}
	}
	return p
}

// costs gives the weighted total network distance of each reduce on each node, by the closed form 4W - 2W_rack - 2w.
func (p *placing) costs() [][]int64 {
	racks := p.rackOf[len(p.rackOf)-1] + 1
	all := make([][]int64, len(p.bytes[0]))
	for r := range all {
		total, inRack, here := int64(0), make([]int64, racks), make([]int64, len(p.rackOf))
		for m, n := range p.at {
			b := p.bytes[m][r]
			total += b
			inRack[p.rackOf[n]] += b
			here[n] += b
		}
		all[r] = make([]int64, len(p.rackOf))
		for n := range all[r] {
			all[r][n] = 4*total - 2*inRack[p.rackOf[n]] - 2*here[n]
		}
	}
	return all
}

// cut is how much less than on random nodes the distance of the reduces is, in per cent, if reduce r is on node where[r].
func (p *placing) cut(where []int) float64 {
	ours, random := 0.0, 0.0
	for r, row := range p.costs() {
		ours += float64(row[where[r]])
		for _, c := range row {
			random += float64(c) / float64(len(row))
		}
	}
	return 100 * (1 - ours/random)
}

// offRackCut is how many fewer bytes leave their racks than with reduces on random nodes, in per cent.
func (p *placing) offRackCut(where []int) float64 {
	inRack := make([]float64, p.rackOf[len(p.rackOf)-1]+1) // nodes
	for _, rack := range p.rackOf {
		inRack[rack]++
	}
	ours, random := 0.0, 0.0
	for m, n := range p.at {
		rack := p.rackOf[n]
		for r, b := range p.bytes[m] {
			if p.rackOf[where[r]] != rack {
				ours += float64(b)
			}
			random += float64(b) * (1 - inRack[rack]/float64(len(p.rackOf)))
		}
	}
	return 100 * (1 - ours/random)
}

// best places the reduces with the least distance there is, at most limit on a node.
func (p *placing) best(limit int) []int {
	per := min(p.slots, limit)
	var costs [][]int64
	for _, row := range p.costs() {
		var slots []int64
		for _, c := range row {
			for range per {
				slots = append(slots, c)
			}
		}
		costs = append(costs, slots)
	}
	where := assign(costs)
	for r := range where {
		where[r] /= per
	}
	return where
}

// skewCap is how many reduces CoGRS gives a node by default once all maps are known: half as many again as its part.
func (p *placing) skewCap() int {
	feeding := map[int]bool{}
	for _, n := range p.at {
		feeding[n] = true
	}
	return max(1, int(math.Ceil(1.5*float64(len(p.bytes[0]))/float64(len(feeding))-1e-9)))
}

// placingRule is a way to place the reduces by the Core.
type placingRule struct {
	policy scheduling.ReducePolicy
	known  float64 // part of the maps that are done; the others run
	count  bool    // the Core is told 1 for each partition that is not empty: TND instead of WTND
}

// beatEvery is the time between the heartbeats of a node.
const beatEvery = 3 * time.Second

// byCore asks a Core: some of the maps end, the others run on; then each node asks for work every 3 s until all reduces have a slot. r draws which maps
// end first and in which order nodes ask.
func (p *placing) byCore(rule placingRule, r *rand.Rand) ([]int, error) {
	known := min(max(1, int(math.Ceil(rule.known*float64(len(p.at))-1e-9))), len(p.at))
	pol, err := preset("fair", func(pol *scheduling.Policy) {
		pol.Reduce, pol.SlowStart = rule.policy, float64(known)/float64(len(p.at))
	})
	if err != nil {
		return nil, err
	}
	core, err := scheduling.NewCore(scheduling.Config{HeartbeatInterval: beatEvery}, pol)
	if err != nil {
		return nil, err
	}
	if err := p.runMaps(core, r.Perm(len(p.at))[:known], rule.count); err != nil {
		return nil, err
	}
	return p.askAll(core, r.Perm(len(p.rackOf)))
}

// runMaps lets the nodes join, launches each map where it belongs and lets those in done succeed, in that order.
func (p *placing) runMaps(core *scheduling.Core, done []int, count bool) error {
	maps := make([][]int, len(p.rackOf))
	for m, n := range p.at {
		maps[n] = append(maps[n], m)
	}
	for n, rack := range p.rackOf {
		node := scheduling.Node{Name: fmt.Sprintf("node%d", n), Rack: fmt.Sprintf("rack%d", rack), MapSlots: len(maps[n]), ReduceSlots: p.slots}
		if _, err := core.Join(0, node); err != nil {
			return err
		}
	}
	if _, err := core.Submit(0, scheduling.JobSpec{Name: "placing", Maps: len(p.at), Reduces: len(p.bytes[0])}); err != nil {
		return err
	}
	attempt := make([]scheduling.AttemptID, len(p.at)) // by map of ours; the Core's numbers differ
	for n, list := range maps {
		got, err := core.Heartbeat(0, scheduling.Heartbeat{Node: scheduling.NodeID(n)})
		if err != nil {
			return err
		}
		for i, order := range got.List {
			attempt[list[i]] = order.Attempt
		}
	}
	for _, m := range done {
		status := scheduling.Status{Attempt: attempt[m], State: scheduling.StateSucceeded, OutputBytes: p.bytes[m]}
		if count {
			status.OutputBytes = make([]int64, len(p.bytes[m]))
			for i, b := range p.bytes[m] {
				status.OutputBytes[i] = min(b, 1)
			}
		}
		if _, err := core.Heartbeat(0, scheduling.Heartbeat{Node: scheduling.NodeID(p.at[m]), NoWork: true, Statuses: []scheduling.Status{status}}); err != nil {
			return err
		}
	}
	return nil
}

// askAll lets the nodes ask in turn and gives the node of each reduce. Reduces that run report that they have hardly begun: no slot frees.
func (p *placing) askAll(core *scheduling.Core, order []int) ([]int, error) {
	where, left := make([]int, len(p.bytes[0])), len(p.bytes[0])
	running := make([][]scheduling.Status, len(order))
	for now := beatEvery; left > 0; now += beatEvery / time.Duration(len(order)) {
		if now > time.Hour {
			return nil, fmt.Errorf("%w: %d of %d", errUnplaced, left, len(where))
		}
		n := order[int(now/(beatEvery/time.Duration(len(order))))%len(order)]
		got, err := core.Heartbeat(now, scheduling.Heartbeat{Node: scheduling.NodeID(n), Statuses: running[n]})
		if err != nil {
			return nil, err
		}
		for _, o := range got.List {
			where[o.Attempt.Task.Index] = n
			left--
			running[n] = append(running[n], scheduling.Status{Attempt: o.Attempt, Progress: 1e-6})
		}
	}
	return where, nil
}
