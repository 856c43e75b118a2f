package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tarry-mr/tarry/scheduling"
)

// schedulerFlags choose the scheduler of a cluster, live or simulated, and name its configuration files.
type schedulerFlags struct {
	scheduler, reducePlacement string
	skips                      []int
	wait, rackWait             time.Duration
	slowStart                  float64
	preempt                    bool

	allocations, queues, parameters string // file names, or empty

	given func(flag string) bool // set by begin: whether the command line or the environment has it
	files schedulerFiles         // set by begin
}

// placements lists the placements of reduces.
func placements() []string { return []string{"any", "cogrs", "larts"} }

// register adds the flags, but for --scheduler.
func (s *schedulerFlags) register(f *pflag.FlagSet, waits string) {
	f.StringVar(&s.reducePlacement, "reduce-placement", "cogrs", "where reduces go: any, cogrs (center of gravity of their input) or larts (most of their input)")
	f.DurationVar(&s.wait, "wait", 0, "how long a map waits for a node with its data, 0s for not at all (default: "+waits+")")
	f.DurationVar(&s.rackWait, "rack-wait", 0, "how long it then waits for a rack with its data (default: as --wait)")
	f.IntSliceVar(&s.skips, "skips", nil, "instead of waits: slot offers that a map lets pass for a node with its data, and then for such a rack, as D1,D2")
	f.Float64Var(&s.slowStart, "slow-start", 0, "part of a job's maps that must be done before its reduces launch (default: the scheduler's)")
	f.BoolVar(&s.preempt, "preemption", false, "let hfs kill tasks of pools above their shares for pools below theirs")
	f.StringVar(&s.allocations, "allocations", "", "fair-scheduler.xml with the pools of hfs")
	f.StringVar(&s.queues, "queues", "", "capacity-scheduler.xml or mapred-queues.xml with the queues of capacity, and access lists, which hold for pools, too")
	f.StringVar(&s.parameters, "parameters", "", "mapred-site.xml with the scheduler's parameters; flags go before it")
}

// registerName adds --scheduler.
func (s *schedulerFlags) registerName(f *pflag.FlagSet) {
	f.StringVar(&s.scheduler, "scheduler", "hfs", "which job's task goes next: "+strings.Join(scheduling.Presets(), ", "))
}

// complete lets the shell complete the values of those flags that cmd has.
func (s *schedulerFlags) complete(cmd *cobra.Command) {
	for flag, values := range map[string][]string{"scheduler": scheduling.Presets(), "schedulers": scheduling.Presets(), "reduce-placement": placements()} {
		_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)) // an error: no such flag
	}
	for _, flag := range []string{"allocations", "queues", "parameters"} {
		_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions([]string{"xml"}, cobra.ShellCompDirectiveFilterFileExt))
	}
}

// begin checks the flags and reads the files; warnings about them go to standard error.
func (s *schedulerFlags) begin(p *program, cmd *cobra.Command) error {
	s.given = cmd.Flags().Changed
	if len(s.skips) > 2 {
		return usageError("--skips of %d numbers: want D1, or D1,D2 for nodes and racks", len(s.skips))
	}
	err := s.files.read(func(name string) (io.ReadCloser, error) { return openFile(name) }, s.allocations, s.queues, s.parameters)
	p.warn(s.files.warnings)
	if err != nil {
		return err
	}
	if named := s.files.scheduler(); named != "" && !s.given("scheduler") {
		s.scheduler = named
	}
	return nil
}

// policy gives the preset of a name with what files and flags change; "+any", "+cogrs" or "+larts" behind the name sets its placement of reduces.
func (s *schedulerFlags) policy(name string) (scheduling.Policy, error) {
	base, placement, own := strings.Cut(name, "+")
	if !own {
		placement = s.reducePlacement
	}
	policy, err := scheduling.Preset(base)
	if err != nil {
		return policy, usageError("unknown scheduler %s: want %s", quoted(base), strings.Join(scheduling.Presets(), ", "))
	}
	switch placement {
	case "any":
		policy.Reduce.Rule = scheduling.AnyNode
	case "cogrs":
		policy.Reduce.Rule = scheduling.CoGRS
	case "larts":
		policy.Reduce.Rule = scheduling.LARTS
	default:
		return policy, usageError("unknown reduce placement %s: want %s", quoted(placement), strings.Join(placements(), ", "))
	}
	s.files.apply(&policy)
	s.flagsOver(&policy)
	if err := policy.Validate(); err != nil {
		return policy, configError("%w", err)
	}
	return policy, nil
}

// warnIdle warns of policies that would preempt if anything ever counted as starved.
func (p *program) warnIdle(policies ...scheduling.Policy) {
	if slices.ContainsFunc(policies, idlePreemption) {
		fmt.Fprintln(p.stderr, "tarry: warning: preemption kills nothing: --allocations sets no fairSharePreemptionTimeout, "+
			"and for no pool both a minimum share and a minSharePreemptionTimeout")
	}
}

// idlePreemption tells whether a policy has preemption on, but nothing that starts it.
func idlePreemption(policy scheduling.Policy) bool {
	a := policy.Pools
	starves := func(p scheduling.PoolConfig) bool {
		return cmp.Or(p.MinTimeout, a.MinTimeout) > 0 && p.Min != [2]int{}
	}
	return policy.Order == "pools" && policy.Preemption.Mode != scheduling.PreemptOff &&
		a.FairTimeout == 0 && !slices.ContainsFunc(a.Pools, starves)
}

// flagsOver puts what flags say over preset and files.
func (s *schedulerFlags) flagsOver(policy *scheduling.Policy) {
	switch {
	case s.given("skips"):
		policy.Locality = scheduling.LocalityPolicy{Rule: scheduling.SkipCount, Skips: s.skips}
	case (s.given("wait") || s.given("rack-wait")) && s.wait+s.rackWait == 0:
		policy.Locality = scheduling.LocalityPolicy{} // the nearest at once
	case s.given("wait") && s.given("rack-wait"):
		policy.Locality = scheduling.LocalityPolicy{Rule: scheduling.TimedWait, Waits: []time.Duration{s.wait, s.rackWait}}
	case s.given("wait") || s.given("rack-wait"):
		one := s.wait + s.rackWait // one of them is 0
		policy.Locality = scheduling.LocalityPolicy{Rule: scheduling.TimedWait, Waits: []time.Duration{one, one}}
	}
	if s.given("slow-start") {
		policy.SlowStart = s.slowStart
	}
	if s.preempt {
		policy.Preemption.Mode = scheduling.PreemptOn
	}
}
