package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/tarry-mr/tarry/internal/cli/internal/numbers"
	"github.com/tarry-mr/tarry/internal/cli/internal/words"
	"github.com/tarry-mr/tarry/scheduling/delaymath"
)

// delayFlags are the flags of `tarry delay`.
type delayFlags struct {
	setup                  delaymath.Setup
	locality, rackLocality numbers.Part
	skips, rackSkips       float64
	wait, rackWait         time.Duration
	jobs                   int
	long                   numbers.Part
	blocked                bool // whether long was given
	asJSON                 bool
}

// newDelay is the command `tarry delay`.
func newDelay(p *program) *cobra.Command {
	var d delayFlags
	cmd := &cobra.Command{
		Use: "delay (--locality PART | --skips D | --wait W1) --tasks N --nodes M " +
			"(--slots L --task-time T | --rate SLOTS/S)",
		Short: "Work out how long maps should wait for a slot beside their data",
		Long: `Work out the skip count D, the waits W1 and W2 and the locality they bring, in whichever direction
is asked, by the analysis of delay scheduling (Zaharia et al., EuroSys 2010, sections 3.2 to 3.6 and
4.1).

  tarry delay --locality 95% --tasks 20 --nodes 100 --slots 8 --task-time 20s
  tarry delay --wait 10s --tasks 10 --nodes 620 --rate 27
  tarry delay --skips 50 --tasks 4 --nodes 100 --slots 4 --task-time 25s --racks 4 --rack-skips 5

Under load, slots become free at a rate of slots/task time; --rate states it where it has been
measured. With --racks a second wait follows, for a rack that has the data. The analysis assumes
full slots, tasks of one length, and uncorrelated inputs; small jobs with hot files get less.`,
		Args: arguments(0, 0, "no arguments but flags"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			plan, err := d.plan(cmd.Flags().Changed)
			if err != nil {
				return usageError("%w (see %s --help)", err, cmd.CommandPath())
			}
			return d.print(p, plan)
		},
	}
	d.define(cmd)
	return cmd
}

// define declares the flags.
func (d *delayFlags) define(cmd *cobra.Command) {
	f := cmd.Flags()
	number(f, &d.locality, "locality", d.locality, parts, "wanted part of maps beside their data, below 1: gives D1 and W1")
	number(f, &d.skips, "skips", 0, span(0, 1e9), "skip count D1: slot offers to let pass for a node with the data")
	number(f, &d.wait, "wait", 0, span(0, 1000*hour), "wait W1 for a node with the data")
	number(f, &d.rackLocality, "rack-locality", d.rackLocality, parts,
		"wanted part of maps at least in a rack with their data (default (1+locality)/2)")
	number(f, &d.rackSkips, "rack-skips", 0, span(0, 1e9), "skip count D2, after D1, for a rack with the data")
	number(f, &d.rackWait, "rack-wait", 0, span(0, 1000*hour), "wait W2, after W1, for a rack with the data")
	number(f, &d.setup.Tasks, "tasks", 0, span(1, 1_000_000), "maps of the job")
	number(f, &d.setup.Nodes, "nodes", 0, span(1, 1_000_000), "nodes of the cluster")
	number(f, &d.setup.Replication, "replication", 3, span(1, 1_000_000), "replicas of each block")
	number(f, &d.setup.SlotsPerNode, "slots", 0, span(1, 1_000_000), "map slots of each node")
	number(f, &d.setup.TaskTime, "task-time", 0, span(0.001, 1000*hour), "mean time of a map on this cluster")
	number(f, &d.setup.SlotRate, "rate", 0, span(1e-6, 1e9), "map slots that become free per second under load")
	number(f, &d.setup.Racks.Count, "racks", 0, span(0, 1_000_000), "racks of the cluster; 0 leaves racks out")
	number(f, &d.setup.Racks.PerBlock, "racks-per-block", 0, span(1, 1_000_000),
		"racks that hold a copy of one block (default 2, as HDFS places them)")
	number(f, &d.jobs, "jobs", 0, span(1, 1_000_000),
		"equal jobs that share the cluster: adds the bound of sticky slots; needs --slots")
	number(f, &d.long, "long", d.long, parts,
		"part of the slots held by long tasks: adds the chance that a block is out of reach; needs --slots")
	f.BoolVar(&d.asJSON, "json", false, "as one JSON object; times in seconds, localities as parts of one")
	excludes(cmd, "locality", "skips wait")
	excludes(cmd, "skips", "wait")
	needs(cmd, "locality", "rack-locality")
	needs(cmd, "skips", "rack-skips")
	needs(cmd, "wait", "rack-wait")
	needs(cmd, "slots", "jobs long")
	needs(cmd, "racks", "racks-per-block")
}

// plan answers the question that the flags ask.
func (d *delayFlags) plan(given func(string) bool) (delaymath.Plan, error) {
	if !given("locality") && !given("skips") && !given("wait") {
		return delaymath.Plan{}, errors.New("one of --locality, --skips and --wait must be given, and only one")
	}
	d.blocked = given("long")
	if given("racks") && !given("racks-per-block") {
		d.setup.Racks.PerBlock = min(2, max(1, d.setup.Racks.Count))
	}
	if given("skips") {
		return d.setup.ForSkips(d.skips, d.rackSkips)
	}
	if given("wait") {
		return d.setup.ForWaits(d.wait, d.rackWait)
	}
	if !given("rack-locality") {
		d.rackLocality = (1 + d.locality) / 2
	}
	return d.setup.ForLocality(float64(d.locality), float64(d.rackLocality))
}

// percentText writes a part of one for people, without calling anything short of everything 100 %.
func percentText(x float64) string {
	s := strconv.FormatFloat(100*x, 'f', 1, 64)
	if s == "100.0" && x < 1 {
		return "> 99.9 %"
	}
	return s + " %"
}

// waitText writes a duration to the millisecond, rounded up so that the wait is long enough, or
// finer if it is short.
func waitText(d time.Duration) string {
	unit := time.Millisecond
	if d < 10*time.Millisecond {
		unit = time.Microsecond
	}
	if d > math.MaxInt64-unit {
		return "more than 292 years"
	}
	return ((d + unit - 1) / unit * unit).String()
}

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
	row("job", words.Count(a.Tasks, "map"), words.Count(a.Replication, "replica")+" a block")
	row("cluster", words.Count(a.Nodes, "node"), d.rateText(a))
	fewer := ""
	if float64(a.LeastD1) < a.D1 {
		fewer = fmt.Sprintf("; by the exact sum %d do", a.LeastD1)
	}
	row("D1", numberText(a.D1), "slot offers to let pass for a node with the data"+fewer)
	row("W1", waitText(plan.W1), "the same as time, D/rate: the longest wait per launch"+d.ofTask(plan.W1.Seconds()))
	row("mean wait", waitText(plan.MeanWait), numberText(a.MeanSkips)+" offers per launch on average")
	bounds := fmt.Sprintf("expected; lower bounds %s (sum), %s (Equation 2)",
		percentText(a.LocalitySum), percentText(a.LocalityBound))
	row("node-local", percentText(a.Locality), bounds)
	row("Algorithm 2", percentText(a.Algorithm2),
		"node-local if, as printed, a job that launched off its data takes any slot until one is local")
	if a.D2 != nil {
		racks := fmt.Sprintf(" (%d racks, a block in %d)", a.Racks, a.RacksPerBlock)
		row("D2", numberText(*a.D2), "slot offers to let pass for a rack with the data"+racks)
		row("W2", waitText(plan.W2), "the same as time, after W1")
		row("rack-local", percentText(*a.WithinRack), "expected, node-local maps among them")
	}
	if a.StickyBound != nil {
		row("sticky slots", "<= "+percentText(*a.StickyBound),
			"locality of fair sharing without delay among "+words.Count(d.jobs, "equal job"))
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
		D1: plan.D1, W1: plan.W1.Seconds(), LeastD1: plan.LeastD1,
		MeanSkips: plan.MeanSkips, MeanWait: plan.MeanWait.Seconds(),
		Locality: plan.Locality, LocalitySum: plan.LocalitySum, LocalityBound: plan.LocalityBound,
		Algorithm2: plan.Algorithm2,
	}
	if s.Racks.Count > 0 {
		w2 := plan.W2.Seconds()
		a.Racks, a.RacksPerBlock = s.Racks.Count, s.Racks.PerBlock
		a.D2, a.W2, a.WithinRack = &plan.D2, &w2, &plan.WithinRack
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
	return fmt.Sprintf("of %s, tasks of %v: %s slots become free per second",
		words.Count(a.SlotsPerNode, "slot"), d.setup.TaskTime, numberText(a.SlotRate))
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
	return strings.TrimSuffix(strconv.FormatFloat(x, 'f', 1, 64), ".0")
}
