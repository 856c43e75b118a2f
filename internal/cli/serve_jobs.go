package cli

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/tarry-mr/tarry/actors/serve"
	"github.com/tarry-mr/tarry/internal/cli/internal/words"
)

// libraryJobs returns the jobs of `tarry run` for a server. Their arguments are those of `tarry run
// JOB`.
func libraryJobs() (list []serve.Job) {
	for _, job := range jobCommands(new(program), nil, nil) {
		list = append(list, serve.Job{Name: job.Name(), Summary: job.Short, Parse: func(args []string) (serve.Order, error) {
			return parseOrder(job.Name(), args)
		}})
	}
	return list
}

// parseOrder returns the server's order for a job and its arguments.
func parseOrder(job string, args []string) (serve.Order, error) {
	var j jobFlags
	var called *jobCommand
	run := &cobra.Command{Use: "run", Args: func(_ *cobra.Command, args []string) error {
		return usageError("unknown job %s", words.Quoted(args[0]))
	}}
	tarry := &cobra.Command{Use: "tarry", SilenceErrors: true, SilenceUsage: true}
	tarry.AddCommand(run)
	tarry.CompletionOptions.DisableDefaultCmd = true
	tarry.SetOut(io.Discard)
	tarry.SetErr(io.Discard)
	tarry.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return flagError(cmd, err, "") })
	for _, c := range jobCommands(new(program), &j.Order, func(c *jobCommand) error { called = c; return nil }) {
		run.AddCommand(c.Command)
	}
	j.register(run)
	tarry.SetArgs(append([]string{"run", job}, args...))
	switch err := tarry.ExecuteContext(context.Background()); {
	case err != nil:
		return j.Order, err
	case called == nil: // help
		return j.Order, usageError("%s --help is no job", job)
	case j.Output == stdoutName:
		return j.Order, usageError("where to? %s DIR: the jobs of servers write to directories", outputFlag(called.Command))
	}
	err := j.check()
	return j.Order, err
}
