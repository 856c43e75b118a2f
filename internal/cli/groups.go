package cli

import (
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tarry-mr/tarry/internal/cli/internal/numbers"
	"github.com/tarry-mr/tarry/internal/cli/internal/words"
	"github.com/tarry-mr/tarry/internal/spelling"
)

// needed is the annotation of flags that have an effect only with another, which it names.
const needed = "needed"

// excludes says that none of the other flags has an effect beside one.
func excludes(cmd *cobra.Command, one, others string) {
	for other := range strings.FieldsSeq(others) {
		cmd.MarkFlagsMutuallyExclusive(one, other)
	}
}

// needs says that flags have no effect without another.
func needs(cmd *cobra.Command, other, flags string) {
	for name := range strings.FieldsSeq(flags) {
		for _, set := range []*pflag.FlagSet{cmd.Flags(), cmd.PersistentFlags()} {
			_ = set.SetAnnotation(name, needed, []string{other}) // an error: it is in the other set
		}
	}
}

// checkFlags refuses flags that exclude each other, that go together, or that lack another one.
func checkFlags(cmd *cobra.Command) error {
	if err := cmd.ValidateFlagGroups(); err != nil {
		return groupError(err)
	}
	var bad error
	cmd.Flags().Visit(func(f *pflag.Flag) {
		for _, other := range f.Annotations[needed] {
			if bad == nil && saysSomething(f) && !given(cmd, other) {
				bad = noEffect(f.Name, "without --"+other)
			}
		}
	})
	return bad
}

// checkOnce refuses a flag that stands twice among the words of a command line, unless it is a list.
func checkOnce(cmd *cobra.Command, line []string) error {
	found, rest, err := cmd.Root().Find(line)
	if err != nil || found != cmd || cmd.DisableFlagParsing {
		return nil
	}
	seen := map[string]bool{}
	return cmd.Flags().ParseAll(rest, func(f *pflag.Flag, _ string) error {
		if _, list := f.Value.(pflag.SliceValue); seen[f.Name] && !list {
			return usageError("--%s is given twice", f.Name)
		}
		seen[f.Name] = true
		return nil
	})
}

// checkVariables refuses variables of the environment that look like flags of some command, and are
// none.
func checkVariables(root *cobra.Command, environment []string) error {
	var names []string // of all flags, and of what the engines know
	for _, name := range []string{"ON", "TASK", "INDEX", "ATTEMPT", "FAILURES", "HADOOP", "SPARK_SUBMIT", "TRACES"} {
		names = append(names, "TARRY_"+name)
	}
	var add func(cmd *cobra.Command)
	add = func(cmd *cobra.Command) {
		for _, set := range []*pflag.FlagSet{cmd.Flags(), cmd.PersistentFlags()} {
			set.VisitAll(func(f *pflag.Flag) { names = append(names, variable(f)) })
		}
		for _, sub := range cmd.Commands() {
			add(sub)
		}
	}
	for _, entry := range environment {
		name, value, _ := strings.Cut(entry, "=")
		if !strings.HasPrefix(name, "TARRY_") || strings.HasPrefix(name, "TARRY_TEST_") || value == "" || slices.Contains(names, name) {
			continue
		}
		if add(root); slices.Contains(names, name) {
			continue
		}
		near := spelling.Closest(name, names)
		if near != "" {
			near = ", did you mean " + near + "?"
		}
		return configError("environment variable %s: no flag of any command has this name%s", words.Shown(name), near)
	}
	return nil
}

var (
	groupForm = regexp.MustCompile(`\[([^\]]*)\] were all set`)
	oneForm   = regexp.MustCompile(`flags in the group \[([^\]]*)\] is required`)
	givenForm = regexp.MustCompile(`group \[([^\]]*)\] are set they must all be set; missing \[([^\]]*)\]`)
)

// groupError puts what cobra says of a group of flags into our words.
func groupError(err error) error {
	text := err.Error()
	if m := givenForm.FindStringSubmatch(text); m != nil {
		return usageError("--%s go together", strings.ReplaceAll(m[1], " ", " and --"))
	}
	if m := oneForm.FindStringSubmatch(text); m != nil {
		return usageError("one of --%s must be given", strings.ReplaceAll(m[1], " ", ", --"))
	}
	m := groupForm.FindStringSubmatch(text)
	if m == nil {
		return usageError("%w", err)
	}
	first, second, _ := strings.Cut(m[1], " ")
	return usageError("--%s and --%s exclude each other", first, second)
}

// noEffectError is a flag that has no effect.
type noEffectError struct{ flag, why string }

func (e *noEffectError) Error() string { return "--" + e.flag + " has no effect " + e.why }

func noEffect(flag, why string) error { return usageError("%w", &noEffectError{flag, why}) }

// saysSomething tells whether a flag that is set says anything: --inline=false does not.
func saysSomething(f *pflag.Flag) bool {
	return f != nil && f.Changed && (f.Value.Type() != "bool" || f.Value.String() == "true")
}

// given tells whether the command has a flag and it is set, to anything but false.
func given(cmd *cobra.Command, name string) bool { return saysSomething(cmd.Flag(name)) }

// idle says that flags have no effect where it holds.
type idle struct {
	holds bool
	why   string // behind "has no effect"
	flags string
}

// refuse refuses the first flag on the command line that has no effect. The environment is for many
// commands: what has no effect there is left out.
func refuse(cmd *cobra.Command, list ...idle) error {
	for _, i := range list {
		if !i.holds {
			continue
		}
		for name := range strings.FieldsSeq(i.flags) {
			switch f := cmd.Flag(name); {
			case !saysSomething(f):
			case isFromEnv(f):
				reset(f)
			default:
				return noEffect(name, i.why)
			}
		}
	}
	return nil
}

// flagsFromEnv sets the flags that the command line leaves alone from the environment, but for those
// that have no effect beside the others, which checkFlags has found good. An empty variable counts as
// not set.
func (p *program) flagsFromEnv(cmd *cobra.Command) error {
	var err error
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		name := variable(f)
		v, _ := p.getenv(name)
		if err != nil || f.Changed || v == "" || slices.Contains([]string{"help", "help-all", "version"}, f.Name) {
			return
		}
		if bad := cmd.Flags().Set(f.Name, v); bad != nil {
			err = configError("environment variable %s=%s: %w", name, words.Quoted(v), valueFault(f, bad))
			return
		}
		_ = cmd.Flags().SetAnnotation(f.Name, fromEnv, []string{name}) // an error: no such flag
		if checkFlags(cmd) != nil {
			reset(f)
		}
	})
	return err
}

// reset gives a flag its default.
func reset(f *pflag.Flag) {
	switch v := f.Value.(type) {
	case *numbers.Value:
		v.Reset() // a default may be outside of the range
	case pflag.SliceValue:
		_ = v.Replace(nil) // nothing in it can be wrong
	default:
		_ = v.Set(f.DefValue) // was its value
	}
	f.Changed = false
}
