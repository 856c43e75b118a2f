package cli

import (
	"cmp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tarry-mr/tarry/internal/cli/internal/numbers"
	"github.com/tarry-mr/tarry/scheduling"
)

// combination is a command with its flags and arguments, as far as they decide whether a flag has
// any effect.
type combination struct {
	path     string // such as "run grep"
	cmd      *cobra.Command
	cluster  *cobra.Command // whose flags are the cluster's: cmd, or the batch that it is a line of
	args     []string
	policies []scheduling.Policy // of the schedulers; none if they are not known
	unread   bool                // the policies are presets, without what files say
	free     []string            // flags that a sweep varies: they may have no effect at a point
}

// combine looks at a command line with schedulers whose files have been read. cluster is the
// command that the flags of the cluster are of.
func combine(cmd, cluster *cobra.Command, policies ...scheduling.Policy) *combination {
	_, path, _ := strings.Cut(cmd.CommandPath(), " ")
	return &combination{path: path, cmd: cmd, cluster: cluster, policies: policies}
}

// flag finds a flag of the command or its cluster, or nil.
func (c *combination) flag(name string) *pflag.Flag {
	return cmp.Or(c.cmd.Flag(name), c.cluster.Flag(name))
}

// foresee looks at a command line before any file is read: the schedulers are those that flags
// name, if --parameters cannot name another.
func foresee(cmd *cobra.Command, args []string) *combination {
	c := combine(cmd, cmd)
	c.args, c.unread = args, true
	names := c.schedulers()
	if cmd.Flag("schedulers") == nil {
		if c.given("policy") || c.given("parameters") && !c.given("scheduler") {
			return c
		}
		names = []string{c.value("scheduler")}
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

// schedulers is the value of --schedulers, empty where there is no such flag.
func (c *combination) schedulers() []string {
	if f := c.flag("schedulers"); f != nil {
		return f.Value.(pflag.SliceValue).GetSlice()
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
	is := func(p scheduling.Policy) bool { return p.Order == order }
	return len(c.policies) == 0 || slices.ContainsFunc(c.policies, is)
}

// scheduler names what chose the scheduler.
func (c *combination) scheduler() string {
	switch {
	case c.flag("schedulers") != nil:
		return "--schedulers " + strings.Join(c.schedulers(), ",")
	case c.given("policy"):
		return c.say("policy") + " " + c.value("policy")
	case c.given("scheduler"):
		return c.say("scheduler") + " " + c.value("scheduler")
	case c.given("parameters"):
		return "--scheduler " + c.policies[0].Name + ", which --parameters asks for"
	case c.value("scheduler") == "":
		return "the recorded policy"
	default:
		return "--scheduler " + c.value("scheduler")
	}
}

// noEffect is why a flag has no effect here, or empty.
func (c *combination) noEffect(flag string) string {
	for _, e := range effects() {
		if e.unless == nil || !e.isOf(c, flag) {
			continue
		}
		if why := e.unless(c); why != "" {
			return why
		}
	}
	return ""
}

// isA tells whether the command is this one or below it.
func (c *combination) isA(command string) bool {
	return c.path == command || strings.HasPrefix(c.path, command+" ")
}

// check refuses flags that have no effect in this combination. The environment is for many
// commands: what has no effect there is left out.
func (c *combination) check() error {
	var err error
	for _, environment := range []bool{true, false} {
		c.cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if err != nil || isFromEnv(f) != environment || !c.given(f.Name) || slices.Contains(c.free, f.Name) {
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

// reset gives a flag its default.
func reset(f *pflag.Flag) {
	v := f.Value
	if n, ok := v.(*numbers.Value); ok {
		v = n.Value // a default may be outside of the range
	}
	if list, ok := v.(pflag.SliceValue); ok {
		_ = list.Replace(nil) // nothing in it can be wrong
	} else {
		_ = v.Set(f.DefValue) // was its value
	}
	f.Changed = false
}
