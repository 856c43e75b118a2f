package cli

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tarry-mr/tarry/internal/cli/internal/numbers"
	"github.com/tarry-mr/tarry/internal/cli/internal/words"
	"github.com/tarry-mr/tarry/internal/spelling"
)

// fromEnv is the annotation of flags whose value comes from the environment.
const fromEnv = "environment"

// variable is the name of a flag's environment variable: TARRY_BLOCK_SIZE for --block-size.
func variable(f *pflag.Flag) string {
	return "TARRY_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
}

func isFromEnv(f *pflag.Flag) bool { return f.Changed && len(f.Annotations[fromEnv]) > 0 }

// flagsFromEnv sets the flags that the command line leaves alone from the environment. An empty
// variable counts as not set.
func (p *program) flagsFromEnv(cmd *cobra.Command) error {
	var err error
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if err != nil || f.Changed || f.Name == "help" || f.Name == "version" {
			return
		}
		name := variable(f)
		v, _ := p.getenv(name)
		if v == "" {
			return
		}
		if bad := cmd.Flags().Set(f.Name, v); bad != nil {
			err = configError("environment variable %s=%s: %w", name, words.Quoted(v), valueFault(f, bad))
			return
		}
		_ = cmd.Flags().SetAnnotation(f.Name, fromEnv, []string{name}) // an error: no such flag
	})
	return err
}

// complete lets the shell complete the values of a flag.
func complete(cmd *cobra.Command, flag string, values ...string) {
	choice := cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)
	_ = cmd.RegisterFlagCompletionFunc(flag, choice) // an error: no such flag
}

// filesNamed lets the shell complete names of files that end in one of these.
func filesNamed(endings ...string) cobra.CompletionFunc {
	return cobra.FixedCompletions(endings, cobra.ShellCompDirectiveFilterFileExt)
}

// flagError says what is wrong with a flag in our words; see is what comes behind it.
func flagError(cmd *cobra.Command, err error, see string) error {
	if args := cmd.Flags().Args(); len(args) > 0 && cmd.HasSubCommands() && cmd.Args != nil {
		if unknown := cmd.Args(cmd, args); unknown != nil { // the flags behind it are of another command
			return unknown
		}
	}
	if bad, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		fault, code := valueFault(bad.GetFlag(), bad), exitUsage
		if fault.Cluster {
			code = exitConfig
		}
		text := fmt.Errorf("--%s %s: %w%s", bad.GetFlag().Name, words.Shown(bad.GetValue()), fault, see)
		return &exitError{code, text}
	}
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok && unknown.GetSpecifiedShortnames() == "" {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		if near := spelling.Closest(unknown.GetSpecifiedName(), names); near != "" {
			return usageError("%w, did you mean --%s?", err, near)
		}
	}
	return usageError("%w%s", err, see)
}

// valueFault is what is wrong with the value of a flag, without the value.
func valueFault(f *pflag.Flag, err error) *numbers.Error {
	if bad, ok := errors.AsType[*numbers.Error](err); ok {
		return bad
	}
	if f.Value.Type() == "bool" {
		return numbers.Bad("want true or false")
	}
	return numbers.Bad("no list with commas between")
}

// meant suggests the sub-command with a name like this one.
func meant(cmd *cobra.Command, name string) string {
	var names []string
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	if near := spelling.Closest(name, names); near != "" {
		return ", did you mean " + near + "?"
	}
	return ""
}

// unknownCommand refuses a command that there is not; what is below another command, as the jobs
// are, is told so.
func unknownCommand(root *cobra.Command, name string) error {
	below := map[string]*cobra.Command{}
	for _, cmd := range root.Commands() {
		for _, sub := range cmd.Commands() {
			if cmd.Name() != "completion" {
				below[sub.Name()] = sub
			}
		}
	}
	near := meant(root, name)
	sub := below[cmp.Or(spelling.Closest(name, slices.Sorted(maps.Keys(below))), name)]
	switch {
	case sub == nil || near != "" && sub.Name() != name:
		return usageError("unknown command %s%s (see tarry --help)", words.Quoted(name), near)
	case sub.Name() == name && sub.Parent().Name() == "run":
		return usageError("%s is a job: %s", name, sub.CommandPath())
	}
	return usageError("unknown command %s, did you mean %s?", words.Quoted(name), sub.CommandPath())
}

// Seconds.
const (
	hour = 3600
	year = 365 * 24 * hour
)

// limits says for each number flag what it may be, by the flag's name, or the command's and the
// flag's where commands differ. Sizes and rates are in bytes, times in seconds. Flags that are left
// out keep their default, whatever the range.
func limits() map[string]numbers.Span {
	span := func(least, most float64) numbers.Span { return numbers.Span{Least: least, Most: most} }
	cluster := func(least, most float64) numbers.Span {
		return numbers.Span{Least: least, Most: most, Cluster: true}
	}
	seeds, parts, rates := span(0, math.MaxUint64), span(0, 1), cluster(64<<10, 1<<40)
	return map[string]numbers.Span{
		// live and simulated clusters
		"nodes":            cluster(1, 10_000), // live ones take 4 s and 100 MiB to start and stop
		"racks":            cluster(1, 10_000),
		"map-slots":        cluster(1, 1_000),
		"reduce-slots":     cluster(1, 1_000),
		"replication":      cluster(1, 1_000),
		"parallelism":      cluster(0, 100_000),
		"block-size":       cluster(1, 1<<40),
		"memory":           cluster(1, 1<<44),
		"oversubscription": cluster(1, 1_000),
		"node-link":        rates,
		"heal-rate":        cluster(1, 1<<40),
		"store-size":       span(1, 1<<44),
		"skips":            cluster(0, 1e9),
		"wait":             span(0, 1000*hour),
		"task-timeout":     span(0, 1000*hour),
		"rack-wait":        span(0, 1000*hour),
		"slow-start":       parts,
		"seed":             seeds,
		"chaos":            span(1, math.MaxUint64),

		// jobs
		"reduces":   cluster(0, mostReduces),
		"max-skips": span(0, 1e9),
		"lines":     span(1, 1_000_000),
		"top":       span(1, 1_000_000),
		"column":    span(1, 1_000_000),
		"window":    span(1, 1_000_000),
		"percent":   span(0, 100),
		"sample":    seeds,
		"damping":   span(0.01, 0.99),
		"rounds":    span(1, 1_000_000),
		"clusters":  span(1, 10_000),
		"start":     seeds,
		"above":     span(0, 1e15),
		"prefix":    span(1, 1_000_000),

		"reduce-time": span(0, 1000*hour),

		// the block store
		"damage": span(0, 1e9),

		// simulations
		"fresh":            span(2, 1_000),
		"within":           parts,
		"sim nodes":        cluster(1, 100_000),
		"sim racks":        cluster(1, 100_000),
		"sim reduce-slots": cluster(0, 1_000),
		"task-setup":       span(0, 24*hour),
		"read-rate":        rates,
		"shuffle-rate":     rates,
		"cache":            cluster(1, 1<<44),
		"cache-rate":       rates,
		"link":             rates,
		"heartbeat":        cluster(0.01, hour),
		"job-setup":        span(0, 1000*hour),
		"job-cleanup":      span(0, 1000*hour),
		"until":            span(0.001, 100*year),
		"mtbf":             span(60, 100*year),
		"slow-nodes":       parts,
		"stragglers":       parts,
		"task-fails":       parts,
		"hot-replicas":     parts,
		"original-nodes":   cluster(1, 1_000_000),
		"sim jobs":         span(1, 10_000_000),
		"max-maps":         span(1, mostMaps),
		"time-scale":       span(1e-6, 1e6),
		"compute-rate":     rates,
		"compute-spread":   span(0, 10),
		"skew-zipf":        span(0, 20),
		"skew-shares":      span(0, 20),
		"skew-cells":       span(0, 20),
		"sim repeat":       span(1, 10_000),
		"parallel":         span(1, 10_000),
		"series-interval":  span(0.001, 1000*hour),

		"target-utilisation": span(0.001, 10),

		// delay
		"locality":          parts,
		"rack-locality":     parts,
		"delay skips":       span(0, 1e9),
		"rack-skips":        span(0, 1e9),
		"tasks":             span(1, 1_000_000),
		"delay nodes":       span(1, 1_000_000),
		"delay replication": span(1, 1_000_000),
		"slots":             span(1, 1_000_000),
		"task-time":         span(0.001, 1000*hour),
		"rate":              span(1e-6, 1e9),
		"delay racks":       span(0, 1_000_000),
		"racks-per-block":   span(1, 1_000_000),
		"delay jobs":        span(1, 1_000_000),
		"long":              parts,

		// others
		"size":              span(0, 1<<44),
		"words":             span(1, 10_000_000),
		"skew":              span(0, 20),
		"experiment repeat": span(0, 1_000),
	}
}

var knownLimits = sync.OnceValue(limits)

// limit gives all number flags of the command, and those below it, their range, and help texts that
// tell it.
func limit(root *cobra.Command) {
	table := knownLimits()
	var below func(cmd *cobra.Command)
	below = func(cmd *cobra.Command) {
		path := strings.Fields(cmd.CommandPath() + " .")
		set := func(f *pflag.Flag) {
			command := path[1]
			if command == "tune" { // it simulates, too
				command = "sim"
			}
			span, own := table[command+" "+f.Name]
			if !own {
				span = table[f.Name]
			}
			bound(f, span)
		}
		cmd.Flags().VisitAll(set)
		cmd.PersistentFlags().VisitAll(set)
		for _, sub := range cmd.Commands() {
			below(sub)
		}
	}
	below(root)
}

// bound gives a flag its range, if it is a number that has none.
func bound(f *pflag.Flag, span numbers.Span) {
	if _, done := f.Value.(*numbers.Value); done || !numbers.Is(f.Value) {
		return
	}
	n := &numbers.Value{Value: f.Value, Span: span}
	f.Value = n
	if f.DefValue == "0s" || f.DefValue == "[]" {
		f.DefValue = "0" // which help texts leave out, as that of other numbers
	}
	if n.Type() == "part" || span.Most == math.MaxUint64 {
		return // said by the type; any
	}
	with := strings.Replace(f.Usage, " (default", " ("+n.RangeText()+"; default", 1)
	if with == f.Usage {
		with += " (" + n.RangeText() + ")"
	}
	f.Usage = with
}
