package cli

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/tarry-mr/tarry/internal/cli/internal/numbers"
	"github.com/tarry-mr/tarry/scheduling/delaymath"
)

func delayCommand(c *command) {
	c.Use = "delay --locality PART|--wait W1 --tasks N --nodes M --slots L --task-time T|--rate R"
	c.Short = "Compute how long maps should wait for a node with their data"
	c.Long = `Compute the skip count D and the waits W1 and W2 for a locality, or the locality for given waits, by
the analysis of delay scheduling (Zaharia et al., EuroSys 2010, sections 3.2 to 3.6 and 4.1). With
--racks a second wait follows, for a rack with the data.

  tarry delay --locality 95% --tasks 20 --nodes 100 --slots 8 --task-time 20s
  tarry delay --wait 10s --tasks 10 --nodes 620 --rate 27

Under load, slots become free at the rate of slots divided by task time; --rate gives a measured
rate. The analysis assumes full slots, tasks of equal length and uncorrelated inputs; small jobs
with hot files reach less.`
	var s delaymath.Setup
	var locality numbers.Part
	var wait, rackWait time.Duration
	c.RunE = func(*cobra.Command, []string) error {
		s.Racks.PerBlock = min(2, s.Racks.Count) // as HDFS places blocks
		ask := func() (delaymath.Plan, error) { return s.ForLocality(float64(locality), float64(1+locality)/2) }
		if given(c.Command, "wait") {
			ask = func() (delaymath.Plan, error) { return s.ForWaits(wait, rackWait) }
		}
		plan, err := ask()
		if err != nil {
			return usageError("%w (see %s --help)", err, c.CommandPath())
		}
		return c.print(func(out io.Writer) { printPlan(out, &plan, s.Racks.Count > 0) })
	}
	f := c.Flags()
	number(f, &locality, "locality", 0, parts, "compute D1 and W1 for this fraction of node-local maps, below 1")
	number(f, &wait, "wait", 0, span(0, 1000*hour), "compute the locality for this wait W1 for a node with the data")
	number(f, &rackWait, "rack-wait", 0, span(0, 1000*hour), "with --wait, also wait this time W2, after W1, for a rack with the data")
	number(f, &s.Tasks, "tasks", 0, span(1, 1_000_000), "number of maps of the job")
	number(f, &s.Nodes, "nodes", 0, span(1, 1_000_000), "number of nodes of the cluster")
	number(f, &s.Replication, "replication", 3, span(1, 1_000_000), "number of replicas of each block")
	number(f, &s.SlotsPerNode, "slots", 0, span(1, 1_000_000), "number of map slots of each node")
	number(f, &s.TaskTime, "task-time", 0, span(milli, 1000*hour), "mean run time of a map")
	number(f, &s.SlotRate, "rate", 0, span(1e-6, 1e9), "number of map slots that become free per second under load")
	number(f, &s.Racks.Count, "racks", 0, span(0, 1_000_000), "number of racks of the cluster, 0 for none")
	c.MarkFlagsOneRequired("locality", "wait")
	excludes(c.Command, "locality", "wait")
	needs(c.Command, "wait", "rack-wait")
}

// printPlan prints the computed waits and expected localities, of racks only if racks is true.
func printPlan(out io.Writer, plan *delaymath.Plan, racks bool) {
	percent := func(x float64) string { return fmt.Sprintf("%.4g %%", 100*x) }
	offers := func(d float64) string { return fmt.Sprintf("%.6g", d) }
	wait := func(d time.Duration) string { return d.Round(time.Microsecond).String() }
	digit := time.Duration(1) // the mean wait is rounded to three digits
	for plan.MeanWait >= 1000*digit {
		digit *= 10
	}
	lines := [][]string{
		{"D1", offers(plan.D1), "slot offers to let pass for a node with the data"},
		{"W1", wait(plan.W1), fmt.Sprintf("the same as time, at %.4g free slots a second: the longest wait per launch", plan.Rate)},
		{"mean wait", plan.MeanWait.Round(digit).String(), fmt.Sprintf("%.1f offers per launch on average", plan.MeanSkips)},
		{"node-local", percent(plan.Locality), "expected; at least " + percent(plan.LocalityBound) + " by Equation 2"},
	}
	if racks {
		lines = append(lines, []string{"D2", offers(plan.D2), "slot offers to let pass for a rack with the data"},
			[]string{"W2", wait(plan.W2), "the same as time, after W1"},
			[]string{"rack-local", percent(plan.WithinRack), "expected, node-local maps among them"})
	}
	table(out, lines)
}
