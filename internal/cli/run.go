package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/actors/serve"
	"github.com/tarry-mr/tarry/actors/worker"
	"github.com/tarry-mr/tarry/dfs/stores"
	"github.com/tarry-mr/tarry/internal/cli/internal/numbers"
	"github.com/tarry-mr/tarry/internal/scratch"
	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/counter"
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

// outputFlag returns the shortest form of --output for a command.
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

// ofEngine lists the flags of engines.
const ofEngine = "queue account task-memory task-cores engine-arg worker"

// ofCluster lists the flags of a cluster in this process.
const ofCluster = "racks nodes map-slots reduce-slots replication parallelism seed events node-link oversubscription " +
	"scheduler reduce-placement set wait chaos state"

// check rejects values that cannot work.
func (r *runFlags) check(c *command) error {
	if err := r.jobFlags.check(); err != nil {
		return err
	}
	if r.on != "" {
		if err := worker.Check(r.on); err != nil {
			return usageError("--on %w", err)
		}
		if err := r.settings.Check(r.on); err != nil {
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

// pipeline is a run: each stage reads the output of the previous one.
type pipeline struct {
	*jobCommand
	*runFlags
	src    []mapreduce.Source
	out    mapreduce.Destination
	live   *actors.Cluster // neither inline nor on an engine
	halt   func() error    // ends live, with a time of grace
	saved  saved
	folder string // for data between stages, if tasks run in other processes
	result result
}

// run executes the stages of a job in order and reports the result.
func (j *jobCommand) run(r *runFlags) (err error) {
	if err := r.check(j.command); err != nil {
		return err
	}
	w := &pipeline{jobCommand: j, runFlags: r, result: result{Output: r.Output, Counters: new(counter.Set)}}
	if r.stateDir != "" {
		if w.saved, err = r.openState(j.Command); err != nil {
			return err
		}
		defer func() {
			if err := w.saved.Close(); err != nil { // the output is not affected
				fmt.Fprintf(j.stderr, "tarry: warning: %v\n", w.saved.fault(err))
			}
		}()
	}
	last := len(r.Stages) - 1
	if how, yes := w.saved.done(last, r.Output); yes {
		w.result.Job, w.result.Earlier, w.result.began = how.Name, true, time.Now().Add(-how.Elapsed)
		return w.report(errors.Join(w.saved.resumable(r.directory(), last).Finish(), os.RemoveAll(w.saved.between())))
	}
	if err := w.open(); err != nil {
		return err
	}
	if err := w.saved.begin(); err != nil {
		return err
	}
	stop := func() error { return nil }
	if !w.inline && w.on == "" {
		if stop, err = w.startCluster(); err != nil {
			return err
		}
	}
	w.result.began = time.Now()
	err = w.runStages()
	err = w.report(errors.Join(err, stop()))
	if err == nil && j.Name() == "grep" && r.stateDir == "" && !found(w.result.Counters) {
		return &exitError{code: exitNone}
	}
	return err
}

// open checks the output and opens the inputs.
func (w *pipeline) open() (err error) {
	if w.out, err = w.openOutput(&w.jobFlags, w.saved, len(w.Stages)-1); err != nil {
		return err
	}
	if w.src, err = w.inputs(w.Context(), w.Inputs); err != nil {
		return err
	}
	if err := w.checkBlocks(w.src); err != nil {
		return err
	}
	if w.columns != nil {
		if err := w.columns.CheckHeaders(w.src); err != nil {
			return usageError("%w", err)
		}
	}
	if !w.binary && !w.quiet {
		w.warnBinary(w.src)
	}
	return firstError(checkEvents(w.events, w.Output, w.src), w.checkReplaced(w.src))
}

// runStages runs each stage on the output of the previous one.
func (w *pipeline) runStages() (err error) {
	last := len(w.Stages) - 1
	between, clean, err := w.betweenStages(last)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, clean(err == nil)) }()
	for i, s := range w.Stages {
		to, dir := w.out, ""
		if i < last {
			dir = between + "/" + strconv.Itoa(i)
			to = w.saved.resumable(mapreduce.Dir(dir), i)
		}
		if _, done := w.saved.done(i, dir); done && i < last { // by an earlier process that was killed later
			err = to.Finish()
		} else {
			err = w.stage(s, to, i)
		}
		if err == nil && i < last {
			w.src, err = mapreduce.Files(dir)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// stage runs stage i.
func (w *pipeline) stage(s serve.Stage, to mapreduce.Destination, i int) error {
	round := func(ctx context.Context, plan *mapreduce.Plan) (*counter.Set, error) {
		return w.do(ctx, plan, w.Reduces, "") // rounds are not recorded: they run again with the same result
	}
	src := w.src
	w.src = nil // the plan has its own list, maybe of 100,000 files
	plan, err := s(w.Context(), round, src, to)
	if err != nil {
		return err
	}
	if w.MaxSkips > 0 && plan.SkipsFit() != nil {
		return usageError("--max-skips: %s reads runs of lines, not records, and leaves out none", plan.Name())
	}
	if w.result.Job == "" {
		w.result.Job = plan.Name()
	}
	reduces, last := w.Reduces, i == len(w.Stages)-1
	if last && w.Output == stdoutName && reduces == 0 && !plan.Ordered() {
		reduces = 1 // a single part is ordered by keys
	}
	counters, err := w.do(w.Context(), plan, reduces, w.saved.key(i))
	if last {
		w.result.last = counters
	}
	return err
}

// betweenStages returns a directory for data between stages. The caller calls clean at the end;
// done reports whether all stages have succeeded.
func (w *pipeline) betweenStages(last int) (dir string, clean func(done bool) error, err error) {
	kept := func(bool) error { return nil }
	switch {
	case last == 0:
		return "", kept, nil
	case worker.IsWorker(): // created by the submitting process
		return worker.Folder(), kept, nil
	case w.saved.Dir != nil:
		dir = w.saved.between()
		return dir, func(done bool) error {
			if !done {
				return nil // the next process needs it
			}
			return os.RemoveAll(dir)
		}, os.MkdirAll(dir, 0o777)
	case w.on != "" && stores.Named(w.Output): // nodes share nothing else
		out := stores.Clean(w.Output)
		cut := strings.LastIndexByte(out, '/') + 1
		w.folder = fmt.Sprintf("%s_%s.stages-%x", out[:cut], out[cut:], time.Now().UnixNano())
		store, within, err := stores.Open(w.folder)
		return w.folder, func(bool) error { return store.RemoveAll(within) }, err
	}
	made, err := scratch.Dir(w.cluster.SpillDir, "tarry-stages-")
	if err != nil {
		return "", nil, err
	}
	w.folder = made.Name()
	return w.folder, func(bool) error { return made.Remove() }, nil
}
