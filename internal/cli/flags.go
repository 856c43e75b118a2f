package cli

import (
	"cmp"
	"errors"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tarry-mr/tarry/internal/cli/internal/numbers"
	"github.com/tarry-mr/tarry/internal/cli/internal/words"
	"github.com/tarry-mr/tarry/internal/spelling"
)

// Annotations of flags.
const (
	fromEnv   = "environment" // an environment variable has set the flag
	needed    = "needed"      // names another flag, without which the flag has no effect
	helpGroup = "group"       // names the group of a flag that only --help-all shows
)

// variable returns the name of a flag's environment variable: TARRY_BLOCK_SIZE for --block-size.
func variable(f *pflag.Flag) string {
	return "TARRY_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
}

// complete makes the shell offer these values as completions of a flag.
func complete(cmd *cobra.Command, flag string, values ...string) {
	choice := cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)
	_ = cmd.RegisterFlagCompletionFunc(flag, choice) // an error: no such flag
}

// flagError returns a usage error for cobra's error about a flag. Its text ends with see, a hint.
func flagError(cmd *cobra.Command, err error, see string) error {
	if args := cmd.Flags().Args(); len(args) > 0 && cmd.HasSubCommands() && cmd.Args != nil {
		if unknown := cmd.Args(cmd, args); unknown != nil { // the flags belong to the unknown command
			return unknown
		}
	}
	if bad, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		return usageError("--%s %s: %w%s", bad.GetFlag().Name, words.Shown(bad.GetValue()), valueFault(bad.GetFlag(), bad), see)
	}
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok && unknown.GetSpecifiedShortnames() == "" {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
		if near := didYouMean("--"+unknown.GetSpecifiedName(), names); near != "" {
			see = near
		}
	}
	return usageError("%w%s", err, see)
}

// valueFault returns the reason why a flag rejects its value; it names neither flag nor value.
func valueFault(f *pflag.Flag, err error) error {
	switch f.Value.Type() {
	case "bool":
		return errors.New("want true or false")
	case "stringSlice":
		return errors.New("no list with commas between")
	}
	return errors.Unwrap(err) // the outer error only adds the flag's name
}

// didYouMean returns a hint with the most similar name, or "" if none is similar.
func didYouMean(name string, names []string) string {
	if near := spelling.Closest(name, names); near != "" {
		return ", did you mean " + near + "?"
	}
	return ""
}

// meant returns a hint with the subcommand of cmd most similar to name, or "" if none is similar.
func meant(cmd *cobra.Command, name string) string {
	var names []string
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	return didYouMean(name, names)
}

// unknownCommand returns the error for an unknown command, the first of args. It names a command or
// subcommand of the same or a similar name, such as a job.
func unknownCommand(root *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	name := args[0]
	near, paths := meant(root, name), map[string]string{} // of subcommands, by their names
	for _, cmd := range root.Commands() {
		for _, sub := range cmd.Commands() {
			if cmd.Name() == "run" && sub.Name() == name {
				return usageError("%s is a job: %s", name, sub.CommandPath())
			}
			if cmd.Name() != "completion" {
				paths[sub.Name()] = sub.CommandPath()
			}
		}
	}
	if sub := spelling.Closest(name, slices.Sorted(maps.Keys(paths))); near == "" && sub != "" {
		near = ", did you mean " + paths[sub] + "?"
	}
	return usageError("unknown command %s%s", words.Quoted(name), cmp.Or(near, " (see tarry --help)"))
}

// Times in nanoseconds.
const (
	milli = 1e6
	hour  = 3600e9
	year  = 365 * 24 * hour
)

// Ranges of several flags. Sizes and rates are in bytes.
var (
	seeds = span(0, math.MaxUint64)
	parts = span(0, 1)
	rates = span(64<<10, 1<<40)
)

func span(least, most float64) numbers.Span { return numbers.Span{Least: least, Most: most} }

// number adds a flag for a number within a range; the help text contains the range. The default,
// value, may be outside it.
func number[T any](f *pflag.FlagSet, to *T, name string, value T, in numbers.Span, usage string, shorthand ...string) {
	*to = value
	numbers.Add(f, to, in, name, strings.Join(shorthand, ""), usage)
}

// excludes makes one flag and each of the others mutually exclusive.
func excludes(cmd *cobra.Command, one, others string) {
	for other := range strings.FieldsSeq(others) {
		cmd.MarkFlagsMutuallyExclusive(one, other)
	}
}

// needs declares that flags have no effect without the flag other.
func needs(cmd *cobra.Command, other, flags string) { annotate(cmd, flags, needed, other) }

// annotate sets the annotation key of the named flags of cmd to value.
func annotate(cmd *cobra.Command, flags, key, value string) {
	for name := range strings.FieldsSeq(flags) {
		for _, set := range []*pflag.FlagSet{cmd.Flags(), cmd.PersistentFlags()} {
			_ = set.SetAnnotation(name, key, []string{value}) // an error: it is in the other set
		}
	}
}

// checkFlags rejects flags that exclude each other, must be given together, or need a missing flag.
func checkFlags(cmd *cobra.Command) error {
	if err := cmd.ValidateFlagGroups(); err != nil {
		return groupError(err)
	}
	var bad error
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		for _, other := range f.Annotations[needed] {
			if bad == nil && saysSomething(f) && !given(cmd, other) {
				bad = noEffect(f.Name, "without --"+other)
			}
		}
	})
	return bad
}

// checkOnce rejects a flag that the command line gives twice. Flags that collect a list may repeat.
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

// checkVariables rejects an environment variable TARRY_NAME if no command has a flag --name.
func checkVariables(root *cobra.Command, environment []string) error {
	names := strings.Fields("TARRY_ON TARRY_TASK TARRY_INDEX TARRY_ATTEMPT TARRY_FAILURES TARRY_HADOOP TARRY_SPARK_SUBMIT TARRY_TRACES") // read by engines and tests
	var add func(cmd *cobra.Command)
	add = func(cmd *cobra.Command) {
		each := func(f *pflag.Flag) { names = append(names, variable(f)) }
		cmd.Flags().VisitAll(each)
		cmd.PersistentFlags().VisitAll(each)
		for _, sub := range cmd.Commands() {
			add(sub)
		}
	}
	add(root)
	for _, entry := range environment {
		name, value, _ := strings.Cut(entry, "=")
		if strings.HasPrefix(name, "TARRY_") && !strings.HasPrefix(name, "TARRY_TEST_") && value != "" && !slices.Contains(names, name) {
			return configError("environment variable %s: no flag of any command has this name%s", words.Shown(name), didYouMean(name, names))
		}
	}
	return nil
}

// groupForm matches cobra's errors about groups of flags: the names and the rule.
var groupForm = regexp.MustCompile(`\[([^\]]*)\] (were all set|are set they must all be set|is required)`)

// groupError returns cobra's error about a group of flags in our words.
func groupError(err error) error {
	m := groupForm.FindStringSubmatch(err.Error())
	if m == nil {
		return usageError("%w", err)
	}
	switch names := strings.Fields(m[1]); m[2] {
	case "are set they must all be set":
		return usageError("--%s go together", strings.Join(names, " and --"))
	case "is required":
		return usageError("one of --%s must be given", strings.Join(names, ", --"))
	default:
		return usageError("--%s and --%s exclude each other", names[0], names[1])
	}
}

func noEffect(flag, why string) error { return usageError("--%s has no effect %s", flag, why) }

// saysSomething reports whether a flag is set to anything other than false.
func saysSomething(f *pflag.Flag) bool {
	return f != nil && f.Changed && (f.Value.Type() != "bool" || f.Value.String() == "true")
}

// given reports whether the command has the flag and it is set to anything other than false.
func given(cmd *cobra.Command, name string) bool { return saysSomething(cmd.Flag(name)) }

// idle lists flags that have no effect if holds is true.
type idle struct {
	holds bool
	why   string // follows "has no effect"
	flags string
}

// refuse returns an error for the first flag on the command line that one of list calls idle. It
// accepts flags from the environment, because a variable serves many commands.
func refuse(cmd *cobra.Command, list ...idle) error {
	for _, i := range list {
		for name := range strings.FieldsSeq(i.flags) {
			if f := cmd.Flag(name); i.holds && saysSomething(f) && f.Annotations[fromEnv] == nil {
				return noEffect(name, i.why)
			}
		}
	}
	return nil
}

// flagsFromEnv sets flags that the command line does not give from environment variables. It skips
// a variable whose flag checkFlags rejects together with the flags already set. An empty variable
// counts as not set.
func (p *program) flagsFromEnv(cmd *cobra.Command) error {
	var err error
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		name := variable(f)
		v, _ := p.getenv(name)
		if err != nil || f.Changed || v == "" || slices.Contains([]string{"help", "help-all", "version"}, f.Name) {
			return
		}
		f.Changed = true // checkFlags then counts it as given
		fits := checkFlags(cmd) == nil
		if f.Changed = false; !fits {
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
