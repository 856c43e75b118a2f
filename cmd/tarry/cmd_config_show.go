package main

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tarry-mr/tarry/cmd/tarry/internal/numbers"
	"github.com/tarry-mr/tarry/cmd/tarry/internal/words"
	"github.com/tarry-mr/tarry/scheduling"
)

// newConfigShow is the command `tarry config show`.
func newConfigShow(p *program) *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:   "show COMMAND...",
		Short: "Show the value of each flag of a command, and where it comes from",
		Long: `Show the value of each flag of a command when the command line says nothing of it: its default, or
what its environment variable says. What the command works out is shown with how it does; "no
effect" says that a variable changes nothing beside the others.

  tarry config show run sort
  tarry config show sim`,
		Args: arguments(1, -1, "the name of a command"),
		RunE: func(cmd *cobra.Command, args []string) error {
			of, err := findCommand(cmd, args)
			if err != nil {
				return err
			}
			if err := p.flagsFromEnv(of); err != nil {
				return err
			}
			return p.showFlags(of, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a flag")
	return cmd
}

// shownFlag is a line of `tarry config show --json`.
type shownFlag struct {
	Flag     string `json:"flag"`
	Value    string `json:"value"`
	Origin   string `json:"origin"`         // default or environment
	Note     string `json:"note,omitempty"` // how it was worked out, or why it has no effect
	Variable string `json:"variable"`
}

// showFlags prints the flags of a command.
func (p *program) showFlags(cmd *cobra.Command, asJSON bool) error {
	var list []shownFlag
	worked, all := workOut(cmd), foresee(cmd, nil)
	visit := func(f *pflag.Flag) {
		if f.Name == "help" {
			return
		}
		one := shownFlag{Flag: "--" + f.Name, Value: f.Value.String(), Origin: "default", Variable: variable(f)}
		if w, ok := worked[f.Name]; ok && !f.Changed {
			one.Value, one.Note = w.value, w.from
		}
		if f.Changed {
			one.Origin = "environment"
			if why := all.noEffect(f.Name); why != "" && all.given(f.Name) {
				one.Note = "no effect " + why
			}
		}
		list = append(list, one)
	}
	cmd.LocalFlags().VisitAll(visit)
	cmd.InheritedFlags().VisitAll(visit)
	if asJSON {
		return printJSON(p, list)
	}
	t := tabwriter.NewWriter(p.stdout, 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, "FLAG\tVALUE\tORIGIN\tVARIABLE")
	for _, f := range list {
		origin := f.Origin
		if f.Note != "" {
			origin += ": " + f.Note
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", f.Flag, words.Printable(f.Value), origin, f.Variable)
	}
	return t.Flush()
}

// workedOut are the values that a command works out when nobody says anything of a flag, with how
// it does.
type workedOut map[string]struct{ value, from string }

// workOut gives the values that a command works out, with the other flags as they are.
func workOut(cmd *cobra.Command) workedOut {
	c := foresee(cmd, nil)
	w := workedOut{}
	set := func(flag, value, from string) { w[flag] = struct{ value, from string }{value, from} }
	switch {
	case c.isA("run"), c.isA("batch"):
		nodes := max(number(c.value("nodes")), number(c.value("racks")))
		cores := strconv.Itoa(runtime.GOMAXPROCS(0))
		set("nodes", strconv.Itoa(nodes), "one a rack")
		set("map-slots", cores, "one a core")
		set("reduce-slots", cores, "one a core")
		set("replication", strconv.Itoa(min(3, nodes)), "3, or all nodes if fewer")
		set("block-size", "64MiB", "128MiB where maps add up values of a key, less for small inputs")
		set("reduces", "1 or more", "one for each 64MiB of input, made a power of two")
		set("spill-dir", os.TempDir(), "the system's for temporary files")
		set("pool", "the user's", "of hfs")
		set("queue", "default", "of capacity")
		set("memory", "no limit", "this machine does not say what it has")
		if budget := new(clusterFlags).memoryBudget(); budget > 0 {
			set("memory", numbers.Human(budget), "half of what this process may use")
		}
		workOutWaits(c, set, true, nodes)
	case c.isA("sim"):
		nodes := number(c.value("nodes"))
		set("heartbeat", scheduling.HeartbeatInterval(nodes).String(), "Hadoop's, by the number of nodes")
		set("until", "the end", "when all jobs are done")
		set("mtbf", "never", "nodes do not fail")
		set("original-nodes", "as traced", "not scaled")
		set("jobs", "all", "of the trace or workload")
		set("max-maps", "all", "of each job")
		workOutWaits(c, set, false, nodes)
	case c.isA("gen"):
		set("words", "500000 or 1000", "of text, or of pairs")
	case c.isA("experiment"):
		set("repeat", "several", "as many as each experiment needs")
	case c.isA("delay"):
		const asked = "locality skips wait rack-skips rack-wait tasks nodes slots task-time rate jobs long"
		for flag := range strings.FieldsSeq(asked) {
			set(flag, "not given", "")
		}
		set("racks", "none", "racks are left out")
		set("racks-per-block", "2", "as HDFS places them, with --racks")
		set("rack-locality", "(1+locality)/2", "with --racks")
	}
	return w
}

// workOutWaits tells what becomes of maps that wait and reduces that start, by the scheduler. A
// live cluster's waits follow the heartbeats.
func workOutWaits(c *combination, set func(flag, value, from string), live bool, nodes int) {
	waits := func(wait, rackWait, from string) {
		set("wait", wait, from)
		set("rack-wait", rackWait, from)
	}
	if len(c.policies) != 1 {
		waits("by scheduler", "by scheduler", "each one's own")
		set("skips", "by scheduler", "each one's own")
		set("reduce-placement", "by scheduler", "cogrs with hfs, any with the others")
		return
	}
	p := c.policies[0]
	of := "of --scheduler " + p.Name
	set("skips", "none", of)
	switch timed := p.Locality.Rule == scheduling.TimedWait; {
	case timed && live:
		wait := min(15*time.Second, scheduling.HeartbeatInterval(nodes)*3/2).String()
		waits(wait, wait, of+", 1.5 heartbeat intervals")
	case timed:
		waits(p.Locality.Waits[0].String(), p.Locality.Waits[1].String(), of)
	default:
		waits("0s", "0s", of)
		if p.Locality.Rule == scheduling.SkipCount {
			set("skips", "95 % locality for each job", of)
		}
	}
	if c.given("wait") != c.given("rack-wait") {
		set("wait", c.value("rack-wait"), "as --rack-wait")
		set("rack-wait", c.value("wait"), "as --wait")
	}
	if c.given("skips") {
		waits("0s", "0s", "--skips is given")
	}
	names, rules := placements()
	set("reduce-placement", names[slices.Index(rules, scheduling.DefaultReduceRule(p.Name))], of)
}
