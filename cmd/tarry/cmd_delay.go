package main

import (
	"errors"
	"math"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/tarry-mr/tarry/scheduling/delaymath"
)

// part is a part of one as a flag: 0.95 or 95%.
type part float64

// Set parses s.
func (p *part) Set(s string) error {
	x, err := parsePart(s)
	if err == nil && !(x >= 0 && x <= 1) {
		err = badValue("not between 0 and 1")
	}
	*p = part(x)
	return err
}

// String is the value as a part of one.
func (p *part) String() string { return strconv.FormatFloat(float64(*p), 'g', -1, 64) }

// Type names the value in help texts.
func (p *part) Type() string { return "part" }

// delayFlags are the flags of `tarry delay`.
type delayFlags struct {
	setup                  delaymath.Setup
	locality, rackLocality part
	skips, rackSkips       float64
	wait, rackWait         time.Duration
	jobs                   int
	long                   part
	blocked                bool // whether long was given
	asJSON                 bool
}

// newDelay is the command `tarry delay`.
func newDelay(p *program) *cobra.Command {
	var d delayFlags
	cmd := &cobra.Command{
		Use:   "delay (--locality PART | --skips D | --wait W1) --tasks N --nodes M (--slots L --task-time T | --rate SLOTS/S)",
		Short: "Work out how long maps should wait for a slot beside their data",
		Long: `Work out the skip count D, the waits W1 and W2 and the locality they bring, in whichever direction is asked, by the
analysis of delay scheduling (Zaharia et al., EuroSys 2010, sections 3.2 to 3.6 and 4.1).

  tarry delay --locality 95% --tasks 20 --nodes 100 --slots 8 --task-time 20s
  tarry delay --wait 10s --tasks 10 --nodes 620 --rate 27
  tarry delay --skips 50 --tasks 4 --nodes 100 --slots 4 --task-time 25s --racks 4 --rack-skips 5

Under load, slots become free at a rate of slots/task time; --rate states it where it has been measured. With --racks a
second wait follows, for a rack that has the data. The analysis assumes full slots, tasks of one length, and
uncorrelated inputs; small jobs with hot files get less.`,
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
	f.Var(&d.locality, "locality", "wanted part of maps beside their data, below 1: gives D1 and W1")
	f.Float64Var(&d.skips, "skips", 0, "skip count D1: slot offers to let pass for a node with the data")
	f.DurationVar(&d.wait, "wait", 0, "wait W1 for a node with the data")
	f.Var(&d.rackLocality, "rack-locality", "wanted part of maps at least in a rack with their data (default (1+locality)/2)")
	f.Float64Var(&d.rackSkips, "rack-skips", 0, "skip count D2, after D1, for a rack with the data")
	f.DurationVar(&d.rackWait, "rack-wait", 0, "wait W2, after W1, for a rack with the data")
	f.IntVar(&d.setup.Tasks, "tasks", 0, "maps of the job")
	f.IntVar(&d.setup.Nodes, "nodes", 0, "nodes of the cluster")
	f.IntVar(&d.setup.Replication, "replication", 3, "replicas of each block")
	f.IntVar(&d.setup.SlotsPerNode, "slots", 0, "map slots of a node")
	f.DurationVar(&d.setup.TaskTime, "task-time", 0, "mean time of a map on this cluster")
	f.Float64Var(&d.setup.SlotRate, "rate", 0, "map slots that become free per second under load")
	f.IntVar(&d.setup.Racks.Count, "racks", 0, "racks of the cluster; 0 leaves racks out")
	f.IntVar(&d.setup.Racks.PerBlock, "racks-per-block", 0, "racks that hold a copy of one block (default 2, as HDFS places them)")
	f.IntVar(&d.jobs, "jobs", 0, "equal jobs that share the cluster: adds the bound of sticky slots; needs --slots")
	f.Var(&d.long, "long", "part of the slots held by long tasks: adds the chance that a block is out of reach; needs --slots")
	f.BoolVar(&d.asJSON, "json", false, "as one JSON object; times in seconds, localities as parts of one")
}

// plan answers the question that the flags ask.
func (d *delayFlags) plan(given func(string) bool) (delaymath.Plan, error) {
	asked := 0
	for _, name := range []string{"locality", "skips", "wait"} {
		if given(name) {
			asked++
		}
	}
	if asked != 1 {
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

// waitText writes a duration to the millisecond, rounded up so that the wait is long enough, or finer if it is short.
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
