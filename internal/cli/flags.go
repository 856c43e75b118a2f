package cli

import (
	"errors"
	"math"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tarry-mr/tarry/internal/cli/internal/numbers"
	"github.com/tarry-mr/tarry/internal/cli/internal/words"
	"github.com/tarry-mr/tarry/internal/spelling"
)

// fromEnv is the annotation of flags that an environment variable has set.
const fromEnv = "environment"

// variable returns the name of a flag's environment variable: TARRY_BLOCK_SIZE for --block-size.
func variable(f *pflag.Flag) string {
	return "TARRY_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
}

func isFromEnv(f *pflag.Flag) bool { return f.Changed && len(f.Annotations[fromEnv]) > 0 }

// complete makes the shell complete the values of a flag.
func complete(cmd *cobra.Command, flag string, values ...string) {
	choice := cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)
	_ = cmd.RegisterFlagCompletionFunc(flag, choice) // an error: no such flag
}

// flagError returns cobra's error about a flag as one of our usage errors, followed by see.
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

// valueFault returns what is wrong with the value of a flag, without the value.
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

// meant returns a hint with the most similar subcommand.
func meant(cmd *cobra.Command, name string) string {
	var names []string
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	return didYouMean(name, names)
}

// unknownCommand returns the error for an unknown command. It names a subcommand of the same or a
// similar name, such as a job.
func unknownCommand(root *cobra.Command, name string) error {
	var names []string
	for _, cmd := range root.Commands() {
		names = append(names, cmd.Name())
		for _, sub := range cmd.Commands() {
			switch {
			case cmd.Name() == "completion":
			case sub.Name() == name && cmd.Name() == "run":
				return usageError("%s is a job: %s", name, sub.CommandPath())
			default:
				names = append(names, strings.TrimPrefix(sub.CommandPath(), "tarry "))
			}
		}
	}
	near := meant(root, name)
	for _, path := range names {
		if at := strings.LastIndexByte(path, ' '); near == "" && at >= 0 && spelling.Closest(name, []string{path[at+1:]}) != "" || path[at+1:] == name {
			near = ", did you mean tarry " + path + "?"
		}
	}
	if near != "" {
		return usageError("unknown command %s%s", words.Quoted(name), near)
	}
	return usageError("unknown command %s (see tarry --help)", words.Quoted(name))
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
