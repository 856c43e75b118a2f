// Package cli is the command line of Tarry: cmd/tarry and programs with further stores or engines
// call its Main.
//
// Reading order: main.go with the commands, help.go, exit.go, then one file per command:
// cmd_NAME.go. What commands share: flags.go, files.go, print.go, run.go,
// scheduler.go and cluster.go; sim_flags.go; client.go.
package cli

import (
	"context"
	"io"
	"os"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/tarry-mr/tarry/internal/cli/internal/progress"
	"github.com/tarry-mr/tarry/internal/cli/internal/words"
	"github.com/tarry-mr/tarry/scheduling"
)

// program holds what the commands share: input, output, environment and custom parts of policies.
type program struct {
	stdin  *os.File
	stdout io.Writer
	stderr io.Writer
	getenv func(string) (string, bool)
	parts  scheduling.Parts // the caller's own orders and placements, which policies may name

	args     []string // of the command line
	allFlags bool     // help shows all flags, not only common ones
	display  progress.Display
	signals  chan os.Signal
	hangup   atomic.Pointer[func()] // see onHangup
}

// Main runs one command line in this process and returns the exit code. Policies may name the
// orders and placements in parts.
func Main(args []string, parts scheduling.Parts) int {
	p := &program{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, getenv: os.LookupEnv, parts: parts}
	ctx, stop := p.withSignals(context.Background())
	defer stop()
	root := newRoot(p)
	if err := checkVariables(root, os.Environ()); err != nil {
		return p.exit(ctx, err)
	}
	return p.answer(ctx, root, args)
}

// answer runs the command line args and returns the exit code. --help-all shows help for all flags.
func (p *program) answer(ctx context.Context, root *cobra.Command, args []string) int {
	if i := slices.Index(ahead(args), "--help-all"); i >= 0 {
		p.allFlags = true
		args = slices.Concat(args[:i], []string{"--help"}, args[i+1:])
	}
	p.args = args
	root.SetArgs(args)
	return p.exit(ctx, root.ExecuteContext(ctx))
}

// newRoot returns the command `tarry` with all its subcommands.
func newRoot(p *program) *cobra.Command {
	p.display.Out, p.display.Getenv = p.stderr, p.getenv
	p.stderr = &p.display
	root := &cobra.Command{
		Use:   "tarry",
		Short: "MapReduce on this machine, with schedulers worth watching",
		Long: `Tarry is an actor-based, in-memory MapReduce engine. It runs jobs on an emulated cluster of nodes
and racks in this process. Maps wait a moment for a slot on a node with their data; reduces run at
the center of gravity of their input.

  tarry run wordcount book.txt -o counts
  tarry run grep 'center|gravity' 'docs/**/*.md'
  tarry gen text --size 1GiB --seed 1 -o text.txt

Results go to standard output, everything else to standard error. An environment variable can set
any flag: TARRY_BLOCK_SIZE sets --block-size. Exit codes: 0 success; 1 the job failed or an input
cannot be read; 2 wrong command line; 3 the output exists or cannot be made, or the configuration
is invalid; 4 run grep found nothing; 129 hung up; 130 interrupted; 141 the output pipe was closed;
143 terminated.`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          unknownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if given(cmd, "version") {
				return p.printVersion()
			}
			return cmd.Help()
		},
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			cmd.Flags().SortFlags = false // so that a variable comes after the flag that it needs
			return firstError(checkOnce(cmd, p.args), checkFlags(cmd), p.flagsFromEnv(cmd))
		},
	}
	root.SetIn(p.stdin)
	root.SetOut(p.stdout)
	root.SetErr(p.stderr)
	root.Flags().Bool("version", false, "print the version of this program, as tarry version does")
	root.SetUsageFunc(p.usage)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return flagError(cmd, err, " (see "+cmd.CommandPath()+" --help)")
	})
	for _, describe := range []func(*command){
		configCommand, delayCommand, docsCommand, experimentCommand, runCommand, fsCommand, genCommand, jobsCommand,
		nodeCommand, playCommand, policyCommand, scenarioCommand, serveCommand, submitCommand, eventsCommand,
		simCommand, versionCommand, viewCommand, whatIfCommand,
	} {
		root.AddCommand(p.command(describe))
	}
	root.SetHelpCommand(p.command(helpCommand))
	root.InitDefaultCompletionCmd()
	if completion, _, err := root.Find([]string{"completion"}); err == nil && completion != root {
		completion.Args = arguments(0, 0, "the name of a shell: bash, fish, powershell or zsh")
		completion.RunE = help
	}
	return root
}

// command is a command of this program.
type command struct {
	*cobra.Command
	*program
}

// command returns a command whose name, help, flags and action describe sets. If describe sets no
// Args, the command rejects all arguments.
func (p *program) command(describe func(*command)) *cobra.Command {
	c := &command{&cobra.Command{Args: arguments(0, 0, "no arguments but flags")}, p}
	describe(c)
	return c.Command
}

// family gives c these subcommands and no action of its own: c alone prints its help.
func (c *command) family(list ...*cobra.Command) {
	c.AddCommand(list...)
	c.RunE = help
	c.Args = func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		path := c.CommandPath()
		return usageError("%s has no command %s%s (see %s --help)", path, words.Quoted(args[0]), meant(c.Command, args[0]), path)
	}
}

// help prints the help of cmd, as the action of a command that has only subcommands.
func help(cmd *cobra.Command, _ []string) error { return cmd.Help() }

// arguments returns a check that a command gets min to max arguments, none of them empty. Its
// errors describe the expected arguments by what. A max of -1 means no limit.
func arguments(min, max int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		path := cmd.CommandPath()
		for i, arg := range args {
			if arg == "" && (i > 0 || cmd.Name() != "grep") { // an empty pattern matches every line
				return usageError("an empty argument (see %s --help)", path)
			}
		}
		if len(args) < min {
			return usageError("%s needs %s (see %s --help)", path, what, path)
		}
		if max >= 0 && len(args) > max {
			return usageError("%s takes %s, not also %s (see %s --help)", path, what, words.Shown(args[max]), path)
		}
		return nil
	}
}

func helpCommand(c *command) {
	c.Use, c.Short = "help COMMAND...", "Explain a command"
	c.Args = nil
	c.RunE = func(_ *cobra.Command, args []string) error {
		of, err := findCommand(c.Command, args)
		if err != nil {
			return err
		}
		of.InitDefaultHelpFlag()
		return of.Help()
	}
}

// findCommand returns the command that names lead to, such as "run", "sort", or a usage error.
func findCommand(cmd *cobra.Command, names []string) (*cobra.Command, error) {
	of, rest, err := cmd.Root().Find(names)
	if err != nil || len(rest) > 0 {
		return nil, usageError("no command is called %s (see tarry --help)", words.Quoted(strings.Join(names, " ")))
	}
	return of, nil
}
