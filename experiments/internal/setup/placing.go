package setup

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/scheduling"
)

// Placing is a problem: on which nodes should a job's reduces run, given where the outputs of its
// maps are? No other work takes time or slots.
type Placing struct {
	RackOf []int     // by node
	Slots  int       // reduce slots a node
	At     []int     // by map: its node
	Bytes  [][]int64 // by map and reduce
}

// Shape contains the parameters with which DrawPlacing draws a Placing.
type Shape struct {
	Nodes, Racks, Slots, Maps, Reduces int
	Sigma                              float64 // of a lognormal factor on each (map, reduce)
	// exponent of Zipf's law over the nodes that maps are drawn from; 0 spreads them evenly
	Crowd float64
}

// String returns text such as "20 nodes in 4 racks, …", for the quantity of a study's row.
func (s Shape) String() string {
	name := fmt.Sprintf("%d nodes in %d racks, %d maps, %d reduces, σ = %g", s.Nodes, s.Racks,
		s.Maps, s.Reduces, s.Sigma)
	if s.Crowd > 0 {
		name += ", crowded"
	}
	return name
}

// DrawPlacing draws a problem: maps on random nodes, each of which sends a megabyte, times a
// factor, to each reduce.
func DrawPlacing(r *rand.Rand, s Shape) *Placing {
	p := &Placing{
		Slots: s.Slots, RackOf: make([]int, s.Nodes), At: make([]int, s.Maps),
		Bytes: make([][]int64, s.Maps),
	}
	weight, order := make([]float64, s.Nodes), r.Perm(s.Nodes)
	sum := 0.0
	for n := range s.Nodes {
		p.RackOf[n] = n * s.Racks / s.Nodes
		weight[n] = math.Pow(float64(n+1), -s.Crowd)
		sum += weight[n]
	}
	for m := range s.Maps {
		n, x := 0, r.Float64()*sum
		for x -= weight[0]; x >= 0 && n+1 < s.Nodes; x -= weight[n] {
			n++
		}
		p.At[m] = order[n]
		p.Bytes[m] = make([]int64, s.Reduces)
		for i := range p.Bytes[m] {
			p.Bytes[m][i] = int64(1e6 * math.Exp(s.Sigma*r.NormFloat64()))
		}
	}
	return p
}

// Costs returns the weighted total network distance of each reduce on each node, by the closed form
// 4W - 2W_rack - 2w.
func (p *Placing) Costs() [][]int64 {
	racks := p.RackOf[len(p.RackOf)-1] + 1
	all := make([][]int64, len(p.Bytes[0]))
	for r := range all {
		total, inRack, here := int64(0), make([]int64, racks), make([]int64, len(p.RackOf))
		for m, n := range p.At {
			b := p.Bytes[m][r]
			total += b
			inRack[p.RackOf[n]] += b
			here[n] += b
		}
		all[r] = make([]int64, len(p.RackOf))
		for n := range all[r] {
			all[r][n] = 4*total - 2*inRack[p.RackOf[n]] - 2*here[n]
		}
	}
	return all
}

// Cut returns the percentage of the total weighted network distance that reduces on the nodes
// where[r] save over reduces on random nodes.
func (p *Placing) Cut(where []int) float64 {
	ours, random := 0.0, 0.0
	for r, row := range p.Costs() {
		ours += float64(row[where[r]])
		for _, c := range row {
			random += float64(c) / float64(len(row))
		}
	}
	return 100 * (1 - ours/random)
}

// OffRackCut returns the percentage by which fewer bytes leave their racks than with reduces on
// random nodes.
func (p *Placing) OffRackCut(where []int) float64 {
	inRack := make([]float64, p.RackOf[len(p.RackOf)-1]+1) // nodes
	for _, rack := range p.RackOf {
		inRack[rack]++
	}
	ours, random := 0.0, 0.0
	for m, n := range p.At {
		rack := p.RackOf[n]
		for r, b := range p.Bytes[m] {
			if p.RackOf[where[r]] != rack {
				ours += float64(b)
			}
			random += float64(b) * (1 - inRack[rack]/float64(len(p.RackOf)))
		}
	}
	return 100 * (1 - ours/random)
}

// Best returns the reduces' nodes with minimum total distance, if a node may have limit reduces.
func (p *Placing) Best(limit int) []int { return assign(p.Costs(), min(p.Slots, limit)) }

// SkewCap returns CoGRS's default limit of reduces on a node once all maps have ended: 1.5 times an
// equal share of a feeding node.
func (p *Placing) SkewCap() int {
	feeding := map[int]bool{}
	for _, n := range p.At {
		feeding[n] = true
	}
	return max(1, int(math.Ceil(1.5*float64(len(p.Bytes[0]))/float64(len(feeding))-1e-9)))
}

// Rule is a way to place the reduces by the Core.
type Rule struct {
	Policy scheduling.ReducePolicy
	Known  float64 // fraction of the maps that are done; the others run
	Count  bool    // the Core is told 1 for each partition that is not empty: TND instead of WTND
}

// BeatEvery is the time between the heartbeats of a node.
const BeatEvery = 3 * time.Second

// ByCore returns the nodes that a Core chooses: some of the maps end, the others continue; then
// each node asks for work every 3 s until all reduces have a slot. r draws which maps end first and
// in which order nodes ask; check gets errors.
func (p *Placing) ByCore(check func(error), rule Rule, r *rand.Rand) []int {
	core, order := p.MapsDone(check, rule, r), r.Perm(len(p.RackOf))
	where, left := make([]int, len(p.Bytes[0])), len(p.Bytes[0])
	running := make([][]scheduling.Status, len(order)) // reduces by node
	for now := BeatEvery; left > 0; now += BeatEvery / time.Duration(len(order)) {
		if now > time.Hour {
			check(fmt.Errorf("reduces are left without a slot: %d of %d", left, len(where)))
			return where
		}
		n := order[int(now/(BeatEvery/time.Duration(len(order))))%len(order)]
		got, err := core.Heartbeat(now,
			scheduling.Heartbeat{Node: scheduling.NodeID(n), Statuses: running[n]})
		check(err)
		for _, o := range got.Actions {
			where[o.Attempt.Task.Index] = n
			left--
			// It reports that it has hardly begun, so that its slot never becomes free.
			running[n] = append(running[n], scheduling.Status{Attempt: o.Attempt, Progress: 1e-6})
		}
	}
	return where
}

// MapsDone returns a Core for which rule.Known of the maps are done, and the others run. Each map
// runs where it belongs; r draws which end, and in which order.
func (p *Placing) MapsDone(check func(error), rule Rule, r *rand.Rand) *scheduling.Core {
	known := min(max(1, int(math.Ceil(rule.Known*float64(len(p.At))-1e-9))), len(p.At))
	pol := study.Policy("fair", "fair", func(pol *scheduling.Policy) {
		pol.Reduce, pol.SlowStart = rule.Policy, float64(known)/float64(len(p.At))
	})
	core, err := scheduling.NewCore(scheduling.Config{HeartbeatInterval: BeatEvery}, pol.Policy)
	check(err)
	maps := make([][]int, len(p.RackOf))
	for m, n := range p.At {
		maps[n] = append(maps[n], m)
	}
	for n, rack := range p.RackOf {
		_, err := core.Join(0, scheduling.Node{
			Name: fmt.Sprintf("node%d", n), Rack: fmt.Sprintf("rack%d", rack),
			MapSlots: len(maps[n]), ReduceSlots: p.Slots,
		})
		check(err)
	}
	_, err = core.Submit(0, scheduling.JobSpec{Name: "placing", Maps: len(p.At), Reduces: len(p.Bytes[0])})
	check(err)
	attempt := make([]scheduling.AttemptID, len(p.At)) // by map of ours; the Core's numbers differ
	for n, list := range maps {
		got, err := core.Heartbeat(0, scheduling.Heartbeat{Node: scheduling.NodeID(n)})
		check(err)
		for i, order := range got.Actions {
			attempt[list[i]] = order.Attempt
		}
	}
	for _, m := range r.Perm(len(p.At))[:known] {
		status := scheduling.Status{
			Attempt: attempt[m], State: scheduling.StateSucceeded, OutputBytes: p.Bytes[m],
		}
		if rule.Count {
			status.OutputBytes = make([]int64, len(p.Bytes[m]))
			for i, b := range p.Bytes[m] {
				status.OutputBytes[i] = min(b, 1)
			}
		}
		_, err := core.Heartbeat(0, scheduling.Heartbeat{
			Node: scheduling.NodeID(p.At[m]), NoWork: true, Statuses: []scheduling.Status{status},
		})
		check(err)
	}
	return core
}

// assign returns a column for each row, none for more than `most` rows, with the minimum total
// cost. It adds row after row by the cheapest path of moves from full columns to one with room,
// which it finds as Bellman and Ford do. There must be room for all rows.
func assign(cost [][]int64, most int) []int {
	var where []int                   // column by row
	held := make([]int, len(cost[0])) // number of rows by column
	for r, row := range cost {
		// By column: the cost of the cheapest path that ends there, and the row that it moves
		// there.
		least, moved := slices.Clone(row), slices.Repeat([]int{r}, len(row))
		for shorter := true; shorter; {
			shorter = false
			for x, from := range where {
				for to := range row {
					d := least[from] - cost[x][from] + cost[x][to]
					if held[from] == most && d < least[to] {
						least[to], moved[to], shorter = d, x, true
					}
				}
			}
		}
		at := -1
		for c := range held {
			if held[c] < most && (at < 0 || least[c] < least[at]) {
				at = c
			}
		}
		held[at]++
		where = append(where, -1)
		for at >= 0 { // move the rows along the path, from its end to its beginning
			x := moved[at]
			where[x], at = at, where[x]
		}
	}
	return where
}
