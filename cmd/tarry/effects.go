package main

import (
	"cmp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tarry-mr/tarry/scheduling"
)

// combination is a command with its flags and arguments, as far as they decide whether a flag has any effect.
type combination struct {
	path     string // such as "run grep"
	cmd      *cobra.Command
	cluster  *cobra.Command // that the flags of the cluster are of: cmd, or the batch that cmd is a line of
	args     []string
	policies []scheduling.Policy // of the schedulers; none if they are not known
	unread   bool                // the policies are presets, without what files say
}

// combine looks at a command line with schedulers whose files have been read.
func combine(cmd *cobra.Command, args []string, policies ...scheduling.Policy) *combination {
	_, path, _ := strings.Cut(cmd.CommandPath(), " ")
	return &combination{path: path, cmd: cmd, cluster: cmd, args: args, policies: policies}
}

// combineLine looks at a line of a batch.
func combineLine(line, batch *cobra.Command, policies ...scheduling.Policy) *combination {
	c := combine(line, nil, policies...)
	c.cluster = batch
	return c
}

// flag finds a flag of the command or its cluster, or nil.
func (c *combination) flag(name string) *pflag.Flag {
	return cmp.Or(c.cmd.Flag(name), c.cluster.Flag(name))
}

// foresee looks at a command line before any file is read: the schedulers are those that flags name, if --parameters cannot
// name another.
func foresee(cmd *cobra.Command, args []string) *combination {
	c := combine(cmd, args)
	c.unread = true
	names := []string{c.value("scheduler")}
	if f := cmd.Flag("schedulers"); f != nil {
		names = schedulerNames(f)
	} else if c.given("parameters") && !c.given("scheduler") {
		return c
	}
	for _, name := range names {
		base, _, _ := strings.Cut(name, "+")
		p, err := scheduling.Preset(base)
		if err != nil { // an unknown one is refused where schedulers are made
			c.policies = nil
			return c
		}
		c.policies = append(c.policies, p)
	}
	return c
}

// schedulerNames is the value of --schedulers.
func schedulerNames(f *pflag.Flag) []string {
	if list, ok := f.Value.(pflag.SliceValue); ok {
		return list.GetSlice()
	}
	return nil
}

// given tells whether a flag says anything: --inline=false does not.
func (c *combination) given(name string) bool {
	f := c.flag(name)
	return f != nil && f.Changed && (f.Value.Type() != "bool" || f.Value.String() == "true")
}

// value is the value of a flag, given or not.
func (c *combination) value(name string) string {
	if f := c.flag(name); f != nil {
		return f.Value.String()
	}
	return ""
}

// say names a flag as the user gave it.
func (c *combination) say(name string) string {
	if f := c.flag(name); f != nil && isFromEnv(f) {
		return variable(f)
	}
	return "--" + name
}

// has tells whether one of the schedulers is of this order, or is not known yet.
func (c *combination) has(order string) bool {
	return len(c.policies) == 0 || slices.ContainsFunc(c.policies, func(p scheduling.Policy) bool { return p.Order == order })
}

// scheduler names what chose the scheduler.
func (c *combination) scheduler() string {
	switch {
	case c.flag("schedulers") != nil:
		return "--schedulers " + strings.Join(schedulerNames(c.flag("schedulers")), ",")
	case c.given("scheduler"):
		return c.say("scheduler") + " " + c.value("scheduler")
	case c.given("parameters"):
		return "--scheduler " + c.policies[0].Name + ", which --parameters asks for"
	default:
		return "--scheduler " + c.value("scheduler")
	}
}

// noEffect is why a flag has no effect here, or empty.
func (c *combination) noEffect(flag string) string {
	for _, r := range effects() {
		if r.unless == nil || !slices.ContainsFunc(r.on, c.isA) || !slices.Contains(strings.Fields(r.flags), flag) {
			continue
		}
		if why := r.unless(c); why != "" {
			return why
		}
	}
	return ""
}

// isA tells whether the command is this one or below it.
func (c *combination) isA(command string) bool {
	return c.path == command || strings.HasPrefix(c.path, command+" ")
}

// check refuses flags that have no effect in this combination. The environment is for many commands: what has no
// effect there is left out.
func (c *combination) check() error {
	var err error
	for _, environment := range []bool{true, false} {
		c.cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if err != nil || isFromEnv(f) != environment || !c.given(f.Name) {
				return
			}
			switch why := c.noEffect(f.Name); {
			case why == "":
			case environment:
				reset(f)
			default:
				err = usageError("--%s has no effect %s", f.Name, why)
			}
		})
	}
	return err
}

func isFromEnv(f *pflag.Flag) bool { return f.Changed && len(f.Annotations[fromEnv]) > 0 }

// reset gives a flag its default.
func reset(f *pflag.Flag) {
	v := f.Value
	if n, ok := v.(*numberValue); ok {
		v = n.Value // a default may be outside of the range
	}
	if list, ok := v.(pflag.SliceValue); ok {
		_ = list.Replace(nil) // nothing in it can be wrong
	} else {
		_ = v.Set(f.DefValue) // was its value
	}
	f.Changed = false
}
