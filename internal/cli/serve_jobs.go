package cli

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/tarry-mr/tarry/actors/serve"
	"github.com/tarry-mr/tarry/internal/cli/internal/words"
	"github.com/tarry-mr/tarry/jobs"
	"github.com/tarry-mr/tarry/mapreduce"
)

// libraryJobs returns the jobs of `tarry run` for a server. Their arguments are those of `tarry run
// JOB`.
func libraryJobs() (list []serve.Job) {
	for _, job := range jobCommands(new(program), nil) {
		list = append(list, serve.Job{Name: job.Name(), Summary: job.Short, Parse: func(args []string) (serve.Order, error) {
			return parseOrder(job.Name(), args)
		}})
	}
	return list
}

// parseOrder returns the server's order for a job and its arguments.
func parseOrder(job string, args []string) (o serve.Order, err error) {
	var j jobFlags
	var called *cobra.Command
	run := &cobra.Command{Use: "run", Args: func(_ *cobra.Command, args []string) error {
		return usageError("unknown job %s", words.Quoted(args[0]))
	}}
	tarry := &cobra.Command{Use: "tarry", SilenceErrors: true, SilenceUsage: true}
	tarry.AddCommand(run)
	tarry.CompletionOptions.DisableDefaultCmd = true
	tarry.SetOut(io.Discard)
	tarry.SetErr(io.Discard)
	tarry.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return flagError(cmd, err, "") })
	run.AddCommand(jobCommands(new(program), func(cmd *cobra.Command, inputs []string, stages ...stage) error {
		called, o.Inputs = cmd, inputs
		for _, s := range stages {
			o.Stages = append(o.Stages, func(
				ctx context.Context, run serve.Runner, src []mapreduce.Source, to mapreduce.Destination,
			) (*mapreduce.Plan, error) {
				return s.plan(ctx, jobs.Runner(run), src, to)
			})
		}
		return nil
	})...)
	j.register(run)
	tarry.SetArgs(append([]string{"run", job}, args...))
	switch err := tarry.ExecuteContext(context.Background()); {
	case err != nil:
		return o, err
	case called == nil: // help
		return o, usageError("%s --help is no job", job)
	case j.output == stdoutName:
		return o, usageError("where to? %s DIR: the jobs of servers write to directories", outputFlag(called))
	}
	err = j.check()
	o.Output, o.Overwrite, o.Compress, o.Reduces, o.MaxSkips = j.output, j.overwrite, j.packed, j.reduces, j.maxSkips
	return o, err
}
