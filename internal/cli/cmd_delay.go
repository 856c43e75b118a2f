package cli

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tarry-mr/tarry/internal/cli/internal/numbers"
	"github.com/tarry-mr/tarry/internal/cli/internal/words"
	"github.com/tarry-mr/tarry/scheduling/delaymath"
)

// delayFlags are the flags of `tarry delay`.
type delayFlags struct {
	setup    delaymath.Setup
	locality numbers.Part
	skips    float64
	wait     time.Duration
	rackWait time.Duration
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
4.1). With --racks a second wait follows, for a rack that has the data.

  tarry delay --locality 95% --tasks 20 --nodes 100 --slots 8 --task-time 20s
  tarry delay --wait 10s --tasks 10 --nodes 620 --rate 27

Under load, slots become free at a rate of slots/task time; --rate states it where it has been
measured. The analysis assumes full slots, tasks of one length, and uncorrelated inputs; small jobs
with hot files get less.`,
		Args: arguments(0, 0, "no arguments but flags"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			plan, err := d.plan(cmd)
			if err != nil {
				return usageError("%w (see %s --help)", err, cmd.CommandPath())
			}
			return d.print(p, plan)
		},
	}
	f := cmd.Flags()
	number(f, &d.locality, "locality", 0, parts, "wanted part of maps beside their data, below 1: gives D1 and W1")
	number(f, &d.skips, "skips", 0, span(0, 1e9), "skip count D1: slot offers to let pass for a node with the data")
	number(f, &d.wait, "wait", 0, span(0, 1000*hour), "wait W1 for a node with the data")
	number(f, &d.rackWait, "rack-wait", 0, span(0, 1000*hour), "with --wait, wait W2, after W1, for a rack with the data")
	number(f, &d.setup.Tasks, "tasks", 0, span(1, 1_000_000), "maps of the job")
	number(f, &d.setup.Nodes, "nodes", 0, span(1, 1_000_000), "nodes of the cluster")
	number(f, &d.setup.Replication, "replication", 3, span(1, 1_000_000), "replicas of each block")
	number(f, &d.setup.SlotsPerNode, "slots", 0, span(1, 1_000_000), "map slots of each node")
	number(f, &d.setup.TaskTime, "task-time", 0, span(0.001, 1000*hour), "mean time of a map on this cluster")
	number(f, &d.setup.SlotRate, "rate", 0, span(1e-6, 1e9), "map slots that become free per second under load")
	number(f, &d.setup.Racks.Count, "racks", 0, span(0, 1_000_000), "racks of the cluster; 0 leaves racks out")
	cmd.MarkFlagsOneRequired("locality", "skips", "wait")
	excludes(cmd, "locality", "skips wait")
	excludes(cmd, "skips", "wait")
	needs(cmd, "wait", "rack-wait")
	return cmd
}

// plan answers the question that the flags ask.
func (d *delayFlags) plan(cmd *cobra.Command) (delaymath.Plan, error) {
	if racks := &d.setup.Racks; racks.Count > 0 {
		racks.PerBlock = min(2, racks.Count) // as HDFS places blocks
	}
	switch {
	case given(cmd, "skips"):
		return d.setup.ForSkips(d.skips, 0)
	case given(cmd, "wait"):
		return d.setup.ForWaits(d.wait, d.rackWait)
	}
	return d.setup.ForLocality(float64(d.locality), float64(1+d.locality)/2)
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

// numberText writes x with at most one decimal, or three digits if it is small.
func numberText(x float64) string {
	if x < 10 {
		return strconv.FormatFloat(x, 'g', 3, 64)
	}
	return strings.TrimSuffix(strconv.FormatFloat(x, 'f', 1, 64), ".0")
}

// print writes the answer to standard output.
func (d *delayFlags) print(p *program, plan delaymath.Plan) error {
	s := d.setup
	rate, ofTask, fewer := numberText(plan.Rate)+" slots become free per second", "", ""
	if s.SlotRate == 0 {
		rate = fmt.Sprintf("of %s, tasks of %v: %s", words.Count(s.SlotsPerNode, "slot"), s.TaskTime, rate)
	}
	if s.TaskTime > 0 {
		ofTask = ", " + percentText(plan.W1.Seconds()/s.TaskTime.Seconds()) + " of a task"
	}
	if float64(plan.LeastD1) < plan.D1 {
		fewer = fmt.Sprintf("; by the exact sum %d do", plan.LeastD1)
	}
	lines := [][]string{
		{"job", words.Count(s.Tasks, "map"), words.Count(s.Replication, "replica") + " a block"},
		{"cluster", words.Count(s.Nodes, "node"), rate},
		{"D1", numberText(plan.D1), "slot offers to let pass for a node with the data" + fewer},
		{"W1", waitText(plan.W1), "the same as time, D/rate: the longest wait per launch" + ofTask},
		{"mean wait", waitText(plan.MeanWait), numberText(plan.MeanSkips) + " offers per launch on average"},
		{"node-local", percentText(plan.Locality), fmt.Sprintf("expected; lower bounds %s (sum), %s (Equation 2)",
			percentText(plan.LocalitySum), percentText(plan.LocalityBound))},
		{
			"Algorithm 2", percentText(plan.Algorithm2),
			"node-local if, as printed, a job that launched off its data takes any slot until one is local",
		},
	}
	if s.Racks.Count > 0 {
		racks := fmt.Sprintf(" (%d racks, a block in %d)", s.Racks.Count, s.Racks.PerBlock)
		lines = append(lines, []string{"D2", numberText(plan.D2), "slot offers to let pass for a rack with the data" + racks},
			[]string{"W2", waitText(plan.W2), "the same as time, after W1"},
			[]string{"rack-local", percentText(plan.WithinRack), "expected, node-local maps among them"})
	}
	return table(p.stdout, lines)
}
