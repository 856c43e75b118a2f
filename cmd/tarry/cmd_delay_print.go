package main

import (
	"encoding/json"
	"fmt"
	"strconv"
	"text/tabwriter"

	"github.com/tarry-mr/tarry/scheduling/delaymath"
)

// delayAnswer is what `tarry delay --json` prints: seconds, and parts of one.
type delayAnswer struct {
	Tasks         int      `json:"tasks"`
	Nodes         int      `json:"nodes"`
	Replication   int      `json:"replication"`
	SlotsPerNode  int      `json:"slots_per_node,omitempty"`
	TaskTime      float64  `json:"task_time,omitempty"`
	SlotRate      float64  `json:"slot_rate"`
	D1            float64  `json:"d1"`
	W1            float64  `json:"w1"`
	LeastD1       int      `json:"least_d1"`
	MeanSkips     float64  `json:"mean_skips"`
	MeanWait      float64  `json:"mean_wait"`
	Locality      float64  `json:"locality"`
	LocalitySum   float64  `json:"locality_sum"`
	LocalityBound float64  `json:"locality_bound"`
	Algorithm2    float64  `json:"algorithm2"`
	Racks         int      `json:"racks,omitempty"`
	RacksPerBlock int      `json:"racks_per_block,omitempty"`
	D2            *float64 `json:"d2,omitempty"`
	W2            *float64 `json:"w2,omitempty"`
	WithinRack    *float64 `json:"within_rack,omitempty"`
	StickyBound   *float64 `json:"sticky_bound,omitempty"`
	Blocked       *float64 `json:"blocked,omitempty"`
}

// print writes the answer to standard output.
func (d *delayFlags) print(p *program, plan delaymath.Plan) error {
	a := d.answer(plan)
	if d.asJSON {
		return json.NewEncoder(p.stdout).Encode(a)
	}
	w := tabwriter.NewWriter(p.stdout, 0, 8, 2, ' ', 0)
	row := func(name, value, about string) { fmt.Fprintf(w, "%s\t%s\t%s\n", name, value, about) }
	row("job", countText(a.Tasks, "map"), countText(a.Replication, "replica")+" a block")
	row("cluster", countText(a.Nodes, "node"), d.rateText(a))
	fewer := ""
	if float64(a.LeastD1) < a.D1 {
		fewer = fmt.Sprintf("; by the exact sum %d do", a.LeastD1)
	}
	row("D1", numberText(a.D1), "slot offers to let pass for a node with the data"+fewer)
	row("W1", waitText(plan.W1), "the same as time, D/rate: the longest wait per launch"+d.ofTask(plan.W1.Seconds()))
	row("mean wait", waitText(plan.MeanWait), numberText(a.MeanSkips)+" offers per launch on average")
	bounds := fmt.Sprintf("expected; lower bounds %s (sum), %s (Equation 2)", percentText(a.LocalitySum), percentText(a.LocalityBound))
	row("node-local", percentText(a.Locality), bounds)
	row("Algorithm 2", percentText(a.Algorithm2), "node-local if, as printed, a job that launched off its data takes any slot until one is local")
	if a.D2 != nil {
		row("D2", numberText(*a.D2), fmt.Sprintf("slot offers to let pass for a rack with the data (%d racks, a block in %d)", a.Racks, a.RacksPerBlock))
		row("W2", waitText(plan.W2), "the same as time, after W1")
		row("rack-local", percentText(*a.WithinRack), "expected, node-local maps among them")
	}
	if a.StickyBound != nil {
		row("sticky slots", "<= "+percentText(*a.StickyBound), fmt.Sprintf("locality of fair sharing without delay among %s", countText(d.jobs, "equal job")))
	}
	if a.Blocked != nil {
		row("blocked", percentText(*a.Blocked), "chance that long tasks hold every slot beside a block")
	}
	return w.Flush()
}

// answer gathers the numbers.
func (d *delayFlags) answer(plan delaymath.Plan) delayAnswer {
	s := d.setup
	a := delayAnswer{
		Tasks: s.Tasks, Nodes: s.Nodes, Replication: s.Replication, SlotsPerNode: s.SlotsPerNode,
		TaskTime: s.TaskTime.Seconds(), SlotRate: plan.Rate,
		D1: plan.D1, W1: plan.W1.Seconds(), LeastD1: plan.LeastD1, MeanSkips: plan.MeanSkips, MeanWait: plan.MeanWait.Seconds(),
		Locality: plan.Locality, LocalitySum: plan.LocalitySum, LocalityBound: plan.LocalityBound, Algorithm2: plan.Algorithm2,
	}
	if s.Racks.Count > 0 {
		w2 := plan.W2.Seconds()
		a.Racks, a.RacksPerBlock, a.D2, a.W2, a.WithinRack = s.Racks.Count, s.Racks.PerBlock, &plan.D2, &w2, &plan.WithinRack
	}
	if d.jobs > 0 {
		bound := delaymath.StickyBound(1/float64(d.jobs), s.Replication, s.SlotsPerNode)
		a.StickyBound = &bound
	}
	if d.blocked {
		blocked := delaymath.Blocked(float64(d.long), s.Replication, s.SlotsPerNode)
		a.Blocked = &blocked
	}
	return a
}

// rateText says where the rate comes from.
func (d *delayFlags) rateText(a delayAnswer) string {
	if d.setup.SlotRate != 0 {
		return numberText(a.SlotRate) + " slots become free per second"
	}
	return fmt.Sprintf("of %s, tasks of %v: %s slots become free per second", countText(a.SlotsPerNode, "slot"), d.setup.TaskTime, numberText(a.SlotRate))
}

// ofTask compares a time in seconds with the task's, if that is known.
func (d *delayFlags) ofTask(seconds float64) string {
	if d.setup.TaskTime == 0 {
		return ""
	}
	return ", " + percentText(seconds/d.setup.TaskTime.Seconds()) + " of a task"
}

// numberText writes x with at most one decimal, or three digits if it is small.
func numberText(x float64) string {
	if x < 10 {
		return strconv.FormatFloat(x, 'g', 3, 64)
	}
	s := strconv.FormatFloat(x, 'f', 1, 64)
	if s[len(s)-2:] == ".0" {
		return s[:len(s)-2]
	}
	return s
}

// countText is "1 node" or "2 nodes".
func countText(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}
