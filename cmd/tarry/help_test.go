package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"
)

// everyCommand calls do for each command of ours.
func everyCommand(cmd *cobra.Command, do func(*cobra.Command)) {
	do(cmd)
	for _, sub := range cmd.Commands() {
		everyCommand(sub, do)
	}
}

// Each example of a help text is a command line that is understood: known commands and flags,
// values of the right form, arguments of the right number.
func TestHelpExamples(t *testing.T) {
	examples := 0
	everyCommand(newRoot(new(program)), func(cmd *cobra.Command) {
		for line := range strings.Lines(cmd.Long + "\n" + cmd.Example) {
			if !strings.HasPrefix(line, "  tarry ") {
				continue
			}
			examples++
			line, _, _ = strings.Cut(strings.TrimSpace(line), " | ")
			words, err := splitWords(line)
			require.NoError(t, err, line)
			called, rest, err := newRoot(new(program)).Find(words[1:])
			require.NoError(t, err, line)
			require.NoError(t, called.ParseFlags(rest), line)
			require.NoError(t, called.Args(called, called.Flags().Args()), line)
		}
	})
	require.GreaterOrEqual(t, examples, 25)
}

// One voice: a command says in a few words what it does, flags in a phrase without a capital or a
// full stop, defaults that are worked out as "(default: …)".
func TestHelpHasOneVoice(t *testing.T) {
	phrase := regexp.MustCompile(`^[a-z0-9][^.]*([^.]|\.[a-z0-9])*$`)
	root := newRoot(new(program))
	everyCommand(root, func(cmd *cobra.Command) {
		require.Regexp(t, "^[A-Z].*[^.]$", cmd.Short, cmd.CommandPath())
		for line := range strings.Lines(cmd.Long) {
			require.LessOrEqual(t, len([]rune(line)), 132, "%s: %s", cmd.CommandPath(), line)
		}
		for line := range strings.SplitSeq(cmd.LocalFlags().FlagUsages(), "\n") {
			_, usage, found := strings.Cut(strings.TrimSpace(line), "   ")
			if !found || strings.HasPrefix(strings.TrimSpace(line), "-h") {
				continue
			}
			usage = strings.TrimSpace(usage)
			require.NotRegexp(t, "\\.$", usage, cmd.CommandPath())
			require.Regexp(t, phrase, usage, cmd.CommandPath())
		}
	})
}
