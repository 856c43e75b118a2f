package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tarry-mr/tarry/actors/serve"
	"github.com/tarry-mr/tarry/actors/worker"
	"github.com/tarry-mr/tarry/internal/cli/internal/numbers"
	"github.com/tarry-mr/tarry/internal/cli/internal/words"
	"github.com/tarry-mr/tarry/jobs"
	"github.com/tarry-mr/tarry/mapreduce"
)

// job is a mapreduce.Job or mapreduce.MapOnly that reads records I and writes records O.
type job[I, O any] interface {
	Bind(in mapreduce.Input[I], out mapreduce.Output[O]) (*mapreduce.Plan, error)
}

// text returns a stage that runs j on the records that read takes from files, and writes lines.
func text[I, O any](j job[I, O], read func(src []mapreduce.Source) mapreduce.Input[I]) serve.Stage {
	return serve.OneStage(func(src []mapreduce.Source, to mapreduce.Destination) (*mapreduce.Plan, error) {
		return j.Bind(read(src), mapreduce.Text[O](to))
	})
}

// raw is like text, but writes records unchanged.
func raw[I, O any](j job[I, O], read func(src []mapreduce.Source) mapreduce.Input[I]) serve.Stage {
	return serve.OneStage(func(src []mapreduce.Source, to mapreduce.Destination) (*mapreduce.Plan, error) {
		return j.Bind(read(src), mapreduce.Raw[O](to))
	})
}

func lines(src []mapreduce.Source) mapreduce.Input[[]byte]  { return mapreduce.Lines(src...) }
func chunks(src []mapreduce.Source) mapreduce.Input[[]byte] { return mapreduce.Chunks(src...) }

func teraRecords(src []mapreduce.Source) mapreduce.Input[[]byte] {
	return mapreduce.FixedSize(jobs.TeraRecordBytes, src...)
}

func runCommand(c *command) {
	c.Use, c.Short = "run JOB IN...", "Run a job on an emulated cluster in this process"
	c.Long = `Run a job: read IN and write the result to standard output, ordered by keys if the job has keys.
--output OUT (-o, except for grep) writes a directory instead: OUT/part-r-00000 and so on
(part-m-00000 for jobs without reduces), then OUT/_SUCCESS.

` + inputHelp + `

Progress goes to standard error. Three lines follow at the end: result and time, records and bytes,
and where the maps ran. OUT appears when it is complete, with _SUCCESS; until then _OUT.new, beside
it, has the parts. A failed job removes them. --overwrite replaces an earlier OUT when the new one
is complete. The next run with the same OUT removes what a killed run left there.

With --state DIR, starting the same command again continues a killed or interrupted run: committed
parts stay.`
	r, list := new(runFlags), false
	c.Args = func(cmd *cobra.Command, args []string) error {
		switch {
		case list && len(args) == 0:
			return nil
		case list:
			return usageError("--list takes no job")
		case len(args) == 0:
			return usageError("which job? see %s --help, or --list", c.CommandPath())
		}
		return usageError("unknown job %s%s; see %s --help", words.Quoted(args[0]), meant(c.Command, args[0]), c.CommandPath())
	}
	c.RunE = func(*cobra.Command, []string) error {
		return c.print(func(out io.Writer) { printCommands(out, c.Command) })
	}
	c.Flags().BoolVar(&list, "list", false, "print the jobs, one a line, and run none")
	c.AddGroup(&cobra.Group{ID: "use", Title: "Jobs"}, &cobra.Group{ID: "benchmarks", Title: "Jobs of benchmarks and tests"})
	for _, j := range jobCommands(c.program, &r.Order, func(j *jobCommand) error { return j.run(r) }) {
		if j.GroupID = "use"; slices.Contains(benchmarkJobs, j.Name()) {
			j.GroupID = "benchmarks"
		}
		c.AddCommand(j.Command)
	}
	r.register(c.Command)
}

// benchmarkJobs exist for a paper's benchmark, or to show what the engine does.
var benchmarkJobs = strings.Fields("terasort teravalidate scan sleep secondarysort hivesearch hiveselect hiveaggregate hivejoin")

// jobDescriptions has a function for each job that sets its command's name, help, flags and make.
var jobDescriptions = []func(*jobCommand){
	wordCountJob, sortJob, teraSortJob, grepJob, indexJob, meanJob, topJob, distinctJob, histogramJob,
	secondarySortJob, movingAverageJob, adjacencyJob, teraValidateJob, scanJob, sleepJob, pageRankJob,
	componentsJob, kMeansJob, hiveSearchJob, hiveSelectJob, hiveAggregateJob, hiveJoinJob,
}

// jobCommand is the command of a job. From its flags, complete makes the Order: what to run.
type jobCommand struct {
	*command // a job's own Long has no help about inputs and columns
	*serve.Order

	// make returns the first stage when the flags and Inputs are set. It may set the fields below.
	// Its errors are usage errors.
	make func() (serve.Stage, error)

	maps    serve.Stage  // the only stage with --reduces 0; nil if maps emit no output
	then    serve.Stage  // the second stage, or nil
	top     int          // lines that one more stage writes; 0: no such stage
	topOf   jobs.Table   // columns of the output, the last with top's numbers
	reduces reduces      // the job's fixed number, if it has one
	columns *columnFlags // of its input; nil if it has none
	binary  bool         // its input is not text
	rounds  bool         // its first stage runs one job per round
}

// jobCommands returns the commands of all jobs. Each parses its flags into order and calls start.
func jobCommands(p *program, order *serve.Order, start func(*jobCommand) error) (list []*jobCommand) {
	for _, describe := range jobDescriptions {
		j := &jobCommand{command: &command{new(cobra.Command), p}, Order: order}
		j.Args = arguments(1, -1, "at least one input: files, directories, globs, or - for standard input")
		j.RunE = func(_ *cobra.Command, args []string) error {
			j.Inputs = args
			if err := j.complete(); err != nil {
				return err
			}
			return start(j)
		}
		describe(j)
		j.Use += " IN..."
		if j.columns != nil {
			j.Long += "\n\n" + columnHelp
		}
		j.Long += "\n\n" + inputHelp
		list = append(list, j)
	}
	return list
}

// complete sets the stages of the order. It rejects flags that have no effect on them.
func (j *jobCommand) complete() error {
	var first serve.Stage
	var err error
	if j.columns != nil {
		err = j.columns.check()
	}
	if err == nil {
		first, err = j.make()
	}
	if err != nil {
		return usageError("%s", strings.TrimPrefix(err.Error(), "jobs: "))
	}
	why := "with run " + j.Name() + ", which has "
	without := j.Flag("reduces").Changed && j.Order.Reduces == 0
	if err := refuse(
		j.Command,
		idle{j.reduces == oneReduce && j.Order.Reduces != 1, why + "one reduce", "reduces"},
		idle{j.reduces == noReduce, why + "no reduces", "reduces reduce-slots reduce-placement"},
		idle{without, "with --reduces 0", "reduce-slots reduce-placement top"},
		idle{j.rounds, "with " + j.Name() + ", which reads in rounds", "on max-skips"}, // each round would skip other records
		idle{j.columns != nil && !j.columns.CSV, "without --csv or --tsv", "header"},
	); err != nil {
		return err
	}
	if without && j.reduces == anyReduces {
		if j.Stages = []serve.Stage{j.maps}; j.maps == nil {
			return usageError("--reduces 0: what the maps of %s emit is no output", j.Name())
		}
		return nil
	}
	if j.Stages = []serve.Stage{first}; j.then != nil {
		j.Stages = append(j.Stages, j.then)
	}
	if j.top > 0 {
		j.Stages = append(j.Stages, text(j.topOf.Top(j.top), j.topOf.Numbered))
	}
	return nil
}

// topFlag adds --top to a job. The column of its output has the numbers; none means the last.
func (j *jobCommand) topFlag(column ...string) {
	j.topOf.Columns = column
	number(j.Flags(), &j.top, "top", 0, span(1, 1_000_000), "write only the `N` lines with the largest numbers, in descending order (default: all)")
}

// reduces says whether a job has a fixed number of reduces.
type reduces uint8

const (
	anyReduces reduces = iota
	oneReduce
	noReduce
)

// jobFlags are the flags of one job, for `tarry run` and `tarry submit`.
type jobFlags struct {
	serve.Order // check sets Compress

	compress string
}

// register adds the flags to the command, whose subcommands are the jobs.
func (j *jobFlags) register(cmd *cobra.Command) {
	for _, job := range cmd.Commands() {
		short := "o" // grep's -o has another meaning
		if job.Flags().ShorthandLookup(short) != nil {
			short = ""
		}
		job.Flags().StringVarP(&j.Output, "output", short, stdoutName,
			"write the output to `DIR`, a new directory of parts (default: standard output)")
		job.Flag("output").DefValue = ""  // the usage contains it
		_ = job.MarkFlagDirname("output") // an error: no such flag
	}
	f := cmd.PersistentFlags()
	f.BoolVar(&j.Overwrite, "overwrite", false, "replace an existing output directory when the job is done")
	f.StringVar(&j.compress, "compress", "none", "compress the output: none, gzip, zstd or s2")
	number(f, &j.Reduces, "reduces", 0, span(0, maxReduces), "run `N` reduce tasks; with 0 the output is what the maps emit (default: one per 64MiB of input, as a power of two)")
	number(f, &j.MaxSkips, "max-skips", 0, span(0, 1e9),
		"skip at most `N` records on which the map fails, hangs or exits its goroutine; list them in _skipped.jsonl of the output")
	grouped(cmd, "Output", "max-skips")
	complete(cmd, "compress", "none", "gzip", "zstd", "s2")
}

// outputFlag returns -o, or --output for a command whose -o means something else.
func outputFlag(cmd *cobra.Command) string {
	if f := cmd.Flag("output"); f.Shorthand == "" {
		return "--output"
	}
	return "-o"
}

// check rejects values that no job can work with.
func (j *jobFlags) check() (err error) {
	if j.Output == "" {
		return usageError("--output: an empty name; without --output the result goes to standard output")
	}
	if err := j.Compress.UnmarshalText([]byte(j.compress)); err != nil {
		return usageError("--compress: %w", err)
	}
	return nil
}

// runFlags are the flags that all `tarry run` commands share.
type runFlags struct {
	jobFlags
	clusterFlags

	inline     bool
	on         string // an engine; empty: a cluster in this process
	settings   worker.Settings
	counters   bool
	json       bool
	noProgress bool
}

// register adds the flags to the command and its sub-commands.
func (r *runFlags) register(cmd *cobra.Command) {
	r.jobFlags.register(cmd)
	r.clusterFlags.register(cmd)
	f := cmd.PersistentFlags()
	f.BoolVar(&r.inline, "inline", false, "run in one goroutine without a cluster, for comparison")
	f.StringVar(&r.on, "on", "",
		"run each task in its own process on an `ENGINE`: processes:N (N at once), yarn, a Spark master, slurm, k8s-job:IMAGE or prism (default: a cluster in this process)")
	e := &r.settings
	f.StringVar(&e.Queue, "queue", "", "with --on, submit to this YARN queue or Slurm partition (default: the engine's)")
	f.StringVar(&e.Account, "account", "", "with --on, charge this Slurm account, or run as this Kubernetes service account (default: the engine's)")
	number(f, (*numbers.Bytes)(&e.TaskMemory), "task-memory", 0, span(128<<20, 1<<44),
		"with --on, give each task's container this memory; --memory defaults to half of it (default: the engine's)")
	number(f, &e.TaskCores, "task-cores", 0, span(1, 1_000), "with --on, give each task `N` cores (default: the engine's)")
	f.StringArrayVar(&e.EngineArgs, "engine-arg", nil, "with --on, pass `ARG` to the engine's own command; may be repeated (default: none)")
	f.StringArrayVar(&e.Workers, "worker", nil,
		"with --on, ship another build of this program for other hosts: `OS/ARCH=PATH`; may be repeated (default: none)")
	f.BoolVar(&r.counters, "counters", false, "print all counters at the end, in Hadoop's layout")
	f.BoolVar(&r.json, "json", false, "print the outcome as one JSON object on standard output")
	f.BoolVar(&r.noProgress, "no-progress", false, "show the summary, but no progress")
	grouped(cmd, "Diagnostics", "counters json no-progress")
	grouped(cmd, "Cluster", "inline on "+ofEngine)
	needs(cmd, "on", ofEngine)
	excludes(cmd, "counters", "quiet json")
	excludes(cmd, "inline", "on memory task-timeout "+ofCluster)
	excludes(cmd, "on", ofCluster)
}

// ofEngine lists the flags that need --on.
const ofEngine = "queue account task-memory task-cores engine-arg worker"

// ofCluster lists the flags of the cluster in this process, which --on and --inline exclude.
const ofCluster = "racks nodes map-slots reduce-slots replication parallelism seed events node-link oversubscription " +
	"scheduler reduce-placement set wait chaos state"

// check rejects values that cannot work.
func (r *runFlags) check(c *command) error {
	if err := r.jobFlags.check(); err != nil {
		return err
	}
	if r.on != "" {
		if err := worker.Check(r.on, &r.settings); err != nil {
			return usageError("%w", err)
		}
	}
	toStdout := "with standard output: want " + outputFlag(c.Command) + " DIR"
	printed := r.Output == stdoutName || strings.HasPrefix(r.on, "k8s-job:") || r.on == "streaming-command"
	if err := refuse(
		c.Command, idle{r.Output == stdoutName, toStdout, "overwrite on state"},
		idle{printed, "with another use of standard output: want " + outputFlag(c.Command) + " DIR", "json"},
	); err != nil {
		return err
	}
	return r.clusterFlags.check(c)
}

// columnHelp describes the flags about columns.
const columnHelp = `--csv and --tsv read columns separated by commas or tabs (RFC 4180); quoted text may contain
separators and line feeds. --header skips the first record of each file and lets columns be named
as there. --jsonl reads one JSON object per line and takes the named fields as columns. Without
these flags, each byte -t separates two columns, even in quotes. Lines may end in CR LF.`

// columnFlags are the flags about the columns of a job's input.
type columnFlags struct {
	jobs.Table

	csv, tsv bool
	between  string // a byte
}

// separator returns the byte that text, the value of --field-separator, means; byDefault if empty.
func separator(text string, byDefault byte) (byte, error) {
	switch {
	case text == "":
		return byDefault, nil
	case text == `\t`:
		return '\t', nil
	case len(text) == 1:
		return text[0], nil
	}
	return 0, fmt.Errorf("--field-separator %s: want one byte, or \\t", words.Shown(text))
}

// columnFlags adds the flags about columns to a job that needs least to most of them; most 0 means
// any number. usage is the help text of --columns.
func (j *jobCommand) columnFlags(least, most int, usage string) *columnFlags {
	c, f := &columnFlags{Table: jobs.Table{Least: least, Most: most}}, j.Flags()
	f.BoolVar(&c.csv, "csv", false, "read CSV: columns separated by commas, quotes respected")
	f.BoolVar(&c.tsv, "tsv", false, "read CSV with tabs instead of commas")
	f.BoolVar(&c.Header, "header", false, "with --csv or --tsv, take column names from the first record of each file")
	f.StringSliceVar(&c.Fields, "jsonl", nil, "read JSON lines, and take these `FIELD`s of each object as columns")
	f.StringVarP(&c.between, "field-separator", "t", "", "separate columns by this `BYTE` (default: a tab)")
	f.StringSliceVar(&c.Columns, "columns", nil, usage)
	j.MarkFlagsMutuallyExclusive("csv", "tsv", "jsonl", "field-separator")
	excludes(j.Command, "header", "jsonl field-separator")
	excludes(j.Command, "jsonl", "columns")
	j.columns = c
	return c
}

// check sets the table from the flags, and rejects invalid combinations.
func (c *columnFlags) check() (err error) {
	c.CSV = c.csv || c.tsv
	if c.Separator, err = separator(c.between, '\t'); err != nil {
		return err
	}
	if c.csv {
		c.Separator = ','
	}
	return c.Check()
}

// tabbed returns an input of lines with the chosen columns of src, separated by tabs.
func (c *columnFlags) tabbed(src []mapreduce.Source) mapreduce.Input[[]byte] {
	return c.Joined(src, '\t')
}

// edgeColumns describes --columns of jobs that read edges.
const edgeColumns = "take the source and the target of an edge from these columns, by numbers from 1 or names (default: all columns)"
