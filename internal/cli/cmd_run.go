package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tarry-mr/tarry/internal/cli/internal/words"
	"github.com/tarry-mr/tarry/jobs"
	"github.com/tarry-mr/tarry/mapreduce"
)

// binder binds a job to its input and output.
type binder func(src []mapreduce.Source, to mapreduce.Destination) (*mapreduce.Plan, error)

// job is the common method of mapreduce.Job and mapreduce.MapOnly.
type job[I, O any] interface {
	Bind(in mapreduce.Input[I], out mapreduce.Output[O]) (*mapreduce.Plan, error)
}

// text returns a binder of a job whose input is made by read and whose output is lines of text.
func text[I, O any](j job[I, O], read func(src []mapreduce.Source) mapreduce.Input[I]) binder {
	return func(src []mapreduce.Source, to mapreduce.Destination) (*mapreduce.Plan, error) {
		return j.Bind(read(src), mapreduce.Text[O](to))
	}
}

// raw is like text, but writes records unchanged.
func raw[I, O any](j job[I, O], read func(src []mapreduce.Source) mapreduce.Input[I]) binder {
	return func(src []mapreduce.Source, to mapreduce.Destination) (*mapreduce.Plan, error) {
		return j.Bind(read(src), mapreduce.Raw[O](to))
	}
}

func lines(src []mapreduce.Source) mapreduce.Input[[]byte]  { return mapreduce.Lines(src...) }
func chunks(src []mapreduce.Source) mapreduce.Input[[]byte] { return mapreduce.Chunks(src...) }

func teraRecords(src []mapreduce.Source) mapreduce.Input[[]byte] {
	return mapreduce.FixedSize(jobs.TeraRecordBytes, src...)
}

// rounds runs jobs on the sources, and returns a function that writes their result.
type rounds func(ctx context.Context, run jobs.Runner, src []mapreduce.Source) (writeTo, error)

// writeTo binds a job that has its input to its output.
type writeTo func(to mapreduce.Destination) (*mapreduce.Plan, error)

// stage is one job of a run. Each stage reads the output of the previous one.
type stage struct {
	bind    binder
	rounds  rounds       // instead of bind
	columns *columnFlags // of its input; nil if it has none
	binary  bool         // its input is not text
}

// plan returns the plan that writes the stage's output.
func (s stage) plan(
	ctx context.Context, run jobs.Runner, src []mapreduce.Source, to mapreduce.Destination,
) (*mapreduce.Plan, error) {
	if s.rounds == nil {
		return s.bind(src, to)
	}
	write, err := s.rounds(ctx, run, src)
	if err != nil {
		return nil, err
	}
	return write(to)
}

// newRun returns the command `tarry run JOB`.
func newRun(p *program) *cobra.Command {
	r, list := new(runFlags), false
	cmd := &cobra.Command{
		Use:   "run JOB IN...",
		Short: "Run a job on an emulated cluster in this process",
		Long: `Run a job: read IN and write the result to standard output, ordered by keys if the job has keys.
--output OUT (-o, except for grep) writes a directory instead: OUT/part-r-00000 and so on
(part-m-00000 for jobs without reduces), then OUT/_SUCCESS.

` + inputHelp + `

Progress goes to standard error. Three lines follow at the end: result and time, records and bytes,
and where the maps ran. A part appears in OUT when its task commits; _SUCCESS completes the output.
A failed job removes OUT. --overwrite replaces an earlier OUT when the new one is complete. The next
run with the same OUT removes what a killed run left there.

With --state DIR, starting the same command again continues a killed or interrupted run: committed
parts stay.`,
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case list && len(args) == 0:
				return nil
			case list:
				return usageError("--list takes no job")
			case len(args) == 0:
				return usageError("which job? see %s --help, or --list", cmd.CommandPath())
			}
			return usageError("unknown job %s%s; see %s --help", words.Quoted(args[0]), meant(cmd, args[0]), cmd.CommandPath())
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return printCommands(p.stdout, cmd) },
	}
	cmd.Flags().BoolVar(&list, "list", false, "print the jobs, one a line, and run none")
	cmd.AddGroup(&cobra.Group{ID: "use", Title: "Jobs"}, &cobra.Group{ID: "benchmarks", Title: "Jobs of benchmarks and tests"})
	for _, job := range jobCommands(p, func(cmd *cobra.Command, inputs []string, stages ...stage) error {
		return p.run(cmd, r, inputs, stages)
	}) {
		if job.GroupID = "use"; slices.Contains(benchmarkJobs, job.Name()) {
			job.GroupID = "benchmarks"
		}
		cmd.AddCommand(job)
	}
	r.register(cmd)
	return cmd
}

// benchmarkJobs exist for a paper's benchmark, or to show what the engine does.
var benchmarkJobs = strings.Fields("terasort teravalidate scan sleep secondarysort hivesearch hiveselect hiveaggregate hivejoin")

// starter runs or records a job: its command as it was called, its IN arguments and its stages.
type starter func(cmd *cobra.Command, inputs []string, stages ...stage) error

// jobStages are the stages that a command makes of its flags.
type jobStages struct {
	all     []stage
	maps    binder // the job for --reduces 0; nil if its maps emit no output
	reduces reduces
}

// reduces limits the number of reduces of a job, whatever --reduces says.
type reduces uint8

const (
	anyReduces reduces = iota
	oneReduce
	noReduce
)

// check rejects flags about reduces that have no effect.
func (r reduces) check(cmd *cobra.Command) error {
	with := "with run " + cmd.Name() + ", which has "
	return refuse(
		cmd,
		idle{r == oneReduce && cmd.Flag("reduces").Value.String() != "1", with + "one reduce", "reduces"},
		idle{r == noReduce, with + "no reduces", "reduces reduce-slots reduce-placement"},
		idle{withoutReduces(cmd), "with --reduces 0", "reduce-slots reduce-placement top"},
	)
}

// oneStage returns the stages of a job with one stage. maps is the job without reduces.
func oneStage(bind, maps binder) jobStages { return jobStages{all: []stage{{bind: bind}}, maps: maps} }

// inRounds returns the stages of a job that runs other jobs.
func inRounds(r rounds) jobStages { return jobStages{all: []stage{{rounds: r}}} }

// with returns j with a fixed number of reduces.
func (j jobStages) with(r reduces) jobStages {
	j.reduces = r
	return j
}

// reads returns j with the columns of its input.
func (j jobStages) reads(c *columnFlags) jobStages {
	j.all[0].columns = c
	return j
}

// ofBytes returns j with an input that is not text.
func (j jobStages) ofBytes() jobStages {
	j.all[0].binary = true
	return j
}

// jobCommand completes the command of a job whose arguments are all inputs. make returns its stages
// when the flags are known; its errors are usage errors. c.Long must not contain the shared part of
// the help.
func jobCommand(start starter, c *cobra.Command, make func() (jobStages, error)) *cobra.Command {
	c.Use += " IN..."
	c.Long += "\n\n" + inputHelp
	c.Args = arguments(1, -1, "at least one input: files, directories, globs, or - for standard input")
	c.RunE = func(cmd *cobra.Command, args []string) error {
		j, err := make()
		if err != nil {
			return usageError("%s", strings.TrimPrefix(err.Error(), "jobs: "))
		}
		first := &j.all[0]
		why := "with " + cmd.Name() + ", which reads in rounds" // each round would skip other records
		if err := firstError(
			j.reduces.check(cmd),
			refuse(cmd, idle{first.rounds != nil, why, "on max-skips"}, idle{first.columns != nil && !first.columns.CSV, "without --csv or --tsv", "header"}),
		); err != nil {
			return err
		}
		if withoutReduces(cmd) {
			if j.maps == nil {
				return usageError("--reduces 0: what the maps of %s emit is no output", cmd.Name())
			}
			first.bind, j.all = j.maps, j.all[:1]
		}
		return start(cmd, args, j.all...)
	}
	return c
}

// withoutReduces reports whether --reduces 0 is given.
func withoutReduces(cmd *cobra.Command) bool {
	f := cmd.Flag("reduces")
	return f.Changed && f.Value.String() == "0"
}
