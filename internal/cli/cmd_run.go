package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tarry-mr/tarry/internal/cli/internal/words"
	"github.com/tarry-mr/tarry/jobs"
	"github.com/tarry-mr/tarry/mapreduce"
)

// binder binds a job to its input and output.
type binder func(src []mapreduce.Source, to mapreduce.Destination) (*mapreduce.Plan, error)

// job is what mapreduce.Job and mapreduce.MapOnly have in common.
type job[I, O any] interface {
	Bind(in mapreduce.Input[I], out mapreduce.Output[O]) (*mapreduce.Plan, error)
}

// text binds a job to what read makes of its sources, and to lines of text.
func text[I, O any](j job[I, O], read func(src []mapreduce.Source) mapreduce.Input[I]) binder {
	return func(src []mapreduce.Source, to mapreduce.Destination) (*mapreduce.Plan, error) {
		return j.Bind(read(src), mapreduce.Text[O](to))
	}
}

// raw is text for records that are written as they are.
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

// stage is one job of a run. The stages of a run follow each other: each reads what the one before
// it wrote.
type stage struct {
	bind binder
	// rounds is instead of bind: it runs jobs of its own, and binds one that writes what came of them.
	rounds func(ctx context.Context, run jobs.Runner, src []mapreduce.Source) (writeTo, error)
	// columns are those of its input; nil: it has none.
	columns *columnFlags
	binary  bool // its input is no text
}

// writeTo binds a job that has its input to its output.
type writeTo func(to mapreduce.Destination) (*mapreduce.Plan, error)

// plan is the job that writes the stage's output.
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

// newRun is the command `tarry run JOB`.
func newRun(p *program) *cobra.Command {
	r, list := new(runFlags), false
	cmd := &cobra.Command{
		Use:   "run JOB IN...",
		Short: "Run a job on an emulated cluster in this process",
		Long: `Run a job: read IN and write the result to standard output, in the order of the keys where the job
has keys. With --output OUT, in short -o but for grep, it makes a directory instead:
OUT/part-r-00000 and so on (part-m-00000 for jobs without reduces), then OUT/_SUCCESS.

` + inputHelp + `

Progress goes to standard error and, at the end, three lines: how it ended, in which time; records
and bytes; where the maps ran. --counters has all counters follow. Parts appear in OUT when their
task has committed, all of them under _SUCCESS; a job that fails leaves no OUT. --overwrite replaces
an earlier OUT once the new one is complete; until then that is in _OUT.new. What a run that was
killed has left, the next one with the same OUT cleans.

With --state DIR a run that was killed at any moment, or interrupted, goes on when the same command
is started again: parts that were committed stay.`,
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case list && len(args) == 0:
				return nil
			case list:
				return usageError("--list takes no job")
			case len(args) == 0:
				return usageError("which job? see %s --help, or --list", cmd.CommandPath())
			}
			near := meant(cmd, args[0])
			return usageError("unknown job %s%s; see %s --help", words.Quoted(args[0]), near, cmd.CommandPath())
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return p.listJobs(cmd) },
	}
	cmd.Flags().BoolVar(&list, "list", false, "print the jobs, one a line, and run none")
	cmd.AddGroup(&cobra.Group{ID: forUse, Title: "Jobs"}, &cobra.Group{ID: forBenchmarks, Title: "Jobs of benchmarks and tests"})
	for _, job := range jobCommands(p, func(cmd *cobra.Command, inputs []string, stages ...stage) error {
		return p.run(cmd, r, inputs, stages)
	}) {
		if job.GroupID = forUse; slices.Contains(benchmarkJobs, job.Name()) {
			job.GroupID = forBenchmarks
		}
		cmd.AddCommand(job)
	}
	r.register(cmd)
	return cmd
}

// The groups of jobs: those that do something for people, and those that exist for a benchmark of a
// paper or to see what the engine does.
const (
	forUse        = "use"
	forBenchmarks = "benchmarks"
)

var benchmarkJobs = strings.Fields("terasort teravalidate scan sleep secondarysort hivesearch hiveselect hiveaggregate hivejoin")

// listJobs prints the jobs below the command, with what each does.
func (p *program) listJobs(run *cobra.Command) error {
	var text strings.Builder
	for _, g := range run.Groups() {
		if text.Len() > 0 {
			text.WriteString("\n")
		}
		fmt.Fprintf(&text, "%s:\n", g.Title)
		for _, job := range run.Commands() {
			if job.GroupID == g.ID {
				fmt.Fprintf(&text, "  %-15s %s\n", job.Name(), job.Short)
			}
		}
	}
	_, err := io.WriteString(p.stdout, text.String())
	return err
}

// starter does something with a job: its command, as it was called, its IN arguments and its
// stages.
type starter func(cmd *cobra.Command, inputs []string, stages ...stage) error

// jobStages are what a command makes of a job and its flags.
type jobStages struct {
	all  []stage
	maps binder // the maps alone, for --reduces 0; nil if what they emit is no output

	reduces reduces
	columns *columnFlags // of the input; nil: it has none
	binary  bool         // its input is no text
}

// reduces says how many reduces a job has that are not for --reduces to say.
type reduces uint8

const (
	anyReduces reduces = iota
	oneReduce
	noReduce
)

// check refuses flags about reduces that have no effect.
func (r reduces) check(cmd *cobra.Command) error {
	one := cmd.Flag("reduces").Value.String() == "1"
	return refuse(
		cmd,
		idle{r == oneReduce && !one, "with run " + cmd.Name() + ", which has one reduce", "reduces"},
		idle{r == noReduce, "with run " + cmd.Name() + ", which has no reduces", "reduces reduce-slots reduce-placement slow-start"},
		idle{withoutReduces(cmd), "with --reduces 0", "reduce-slots reduce-placement slow-start top"},
	)
}

// with returns the stages of a job that has one reduce or none.
func (j jobStages) with(r reduces) jobStages {
	j.reduces = r
	return j
}

// oneStage are the stages of a job that is done in one.
func oneStage(bind, maps binder) jobStages { return jobStages{all: []stage{{bind: bind}}, maps: maps} }

// reads says what the columns of the input are, and refuses what of it cannot be.
func (j jobStages) reads(c *columnFlags) (jobStages, error) {
	j.columns = c
	return j, c.check()
}

// ofBytes says that the input is no text.
func (j jobStages) ofBytes() jobStages {
	j.binary = true
	return j
}

// jobCommand is the command of a job whose arguments are all inputs: make makes its stages once the
// flags are known. An error of make is one of the command line. The help texts of c are without what
// they share.
func jobCommand(start starter, c *cobra.Command, make func() (jobStages, error)) *cobra.Command {
	c.Use += " IN..."
	c.Long += "\n\n" + inputHelp
	c.Args = arguments(1, -1, "at least one input: files, directories, globs, or - for standard input")
	c.RunE = func(cmd *cobra.Command, args []string) error {
		stages, err := make()
		if err != nil {
			return usageError("%s", strings.TrimPrefix(err.Error(), "jobs: "))
		}
		inRounds := stages.all[0].rounds != nil
		why := "with " + cmd.Name() + ", which reads in rounds" // each would leave out records of its own
		if err := firstError(
			stages.reduces.check(cmd),
			refuse(cmd, idle{inRounds, why, "on max-skips"}, idle{!stages.columns.headed(), "without --csv or --tsv", "header"}),
		); err != nil {
			return err
		}
		if withoutReduces(cmd) {
			if stages.maps == nil {
				return usageError("--reduces 0: what the maps of %s emit is no output", cmd.Name())
			}
			return start(cmd, args, stage{bind: stages.maps, columns: stages.columns, binary: stages.binary})
		}
		stages.all[0].columns, stages.all[0].binary = stages.columns, stages.binary
		return start(cmd, args, stages.all...)
	}
	return c
}

// withoutReduces tells whether --reduces 0 is given.
func withoutReduces(cmd *cobra.Command) bool {
	f := cmd.Flag("reduces")
	return f.Changed && f.Value.String() == "0"
}
