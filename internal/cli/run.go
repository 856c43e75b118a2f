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

	"github.com/tarry-mr/tarry/actors/worker"
	"github.com/tarry-mr/tarry/dfs/stores"
	"github.com/tarry-mr/tarry/internal/cli/internal/numbers"
	"github.com/tarry-mr/tarry/internal/scratch"
	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/counter"
)

// jobFlags are the flags of one job: of `tarry run`, and behind the job of `tarry submit`.
type jobFlags struct {
	output    string
	overwrite bool
	compress  string
	packed    mapreduce.Compression // what compress says
	reduces   int
	maxSkips  int
}

// register adds the flags to the command, whose sub-commands are the jobs.
func (j *jobFlags) register(cmd *cobra.Command) {
	for _, job := range cmd.Commands() {
		short := "o" // but where -o means something else to the tool whose flags the job has
		if job.Flags().ShorthandLookup(short) != nil {
			short = ""
		}
		job.Flags().StringVarP(&j.output, "output", short, stdoutName,
			"directory to write, in parts, which must not exist (default: standard output)")
		job.Flag("output").DefValue = ""  // said above
		_ = job.MarkFlagDirname("output") // an error: no such flag
	}
	f := cmd.PersistentFlags()
	f.BoolVar(&j.overwrite, "overwrite", false, "replace an existing output directory once the job is done")
	f.StringVar(&j.compress, "compress", "none", "compress the output: none, gzip, zstd or s2")
	number(f, &j.reduces, "reduces", 0, span(0, mostReduces), "reduce tasks, 0 for none: what the maps emit is the output (default: one for each 64MiB of input, made a power of two)")
	number(f, &j.maxSkips, "max-skips", 0, span(0, 1e9),
		"skip at most N records on which the job's map fails, hangs or ends its goroutine, and list them in _skipped.jsonl of the output")
	grouped(cmd, "Output", "max-skips")
	complete(cmd, "compress", "none", "gzip", "zstd", "s2")
}

// outputFlag is how --output of a command is best written.
func outputFlag(cmd *cobra.Command) string {
	if f := cmd.Flag("output"); f.Shorthand == "" {
		return "--output"
	}
	return "-o"
}

// check refuses values that no job could work with.
func (j *jobFlags) check() (err error) {
	if j.output == "" {
		return usageError("--output: an empty name; without --output the result goes to standard output")
	}
	if err := j.packed.UnmarshalText([]byte(j.compress)); err != nil {
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
	f.BoolVar(&r.inline, "inline", false, "run in one goroutine without a cluster: the plain way, to compare with")
	f.StringVar(&r.on, "on", "",
		"run each task in a process of its own: processes:4, so many at once, yarn, a master of Spark, slurm, k8s-job:IMAGE, prism (default: a cluster in this process)")
	e := &r.settings
	f.StringVar(&e.Queue, "queue", "", "with --on, submit to this queue of YARN or partition of Slurm (default: the engine's)")
	f.StringVar(&e.Account, "account", "", "with --on, charge this account of Slurm, or use this service account of Kubernetes (default: the engine's)")
	number(f, (*numbers.Bytes)(&e.TaskMemory), "task-memory", 0, span(128<<20, 1<<44),
		"with --on, memory of a task's container at the engine; half of it is the default of --memory (default: the engine's)")
	number(f, &e.TaskCores, "task-cores", 0, span(1, 1_000), "with --on, cores of a task at the engine (default: the engine's)")
	f.StringArrayVar(&e.EngineArgs, "engine-arg", nil, "with --on, pass this argument to the engine's own command; may be repeated (default: none)")
	f.StringArrayVar(&e.Workers, "worker", nil,
		"with --on, ship another build of this program for hosts of another kind, as linux/arm64=PATH; may be repeated (default: none)")
	f.BoolVar(&r.counters, "counters", false, "print all counters at the end, in Hadoop's layout")
	f.BoolVar(&r.json, "json", false, "print the outcome as one JSON object on standard output")
	f.BoolVar(&r.noProgress, "no-progress", false, "show no progress, only how it ended")
	grouped(cmd, "Diagnostics", "counters json no-progress")
	grouped(cmd, "Cluster", "inline on "+ofEngine)
	needs(cmd, "on", ofEngine)
	excludes(cmd, "counters", "quiet json")
	excludes(cmd, "inline", "on memory task-timeout "+ofCluster)
	excludes(cmd, "on", ofCluster)
}

// ofEngine are flags that say something of an engine.
const ofEngine = "queue account task-memory task-cores engine-arg worker"

// ofCluster are flags that say something of a cluster in this process.
const ofCluster = "racks nodes map-slots reduce-slots replication parallelism seed events node-link oversubscription " +
	"scheduler reduce-placement set wait chaos state"

// check refuses values that cannot work.
func (r *runFlags) check(p *program, cmd *cobra.Command) error {
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
	toStdout := "with standard output: want " + outputFlag(cmd) + " DIR"
	printed := r.output == stdoutName || strings.HasPrefix(r.on, "k8s-job:") || r.on == "streaming-command"
	if err := refuse(
		cmd, idle{r.output == stdoutName, toStdout, "overwrite on state"},
		idle{printed, "with another use of standard output: want " + outputFlag(cmd) + " DIR", "json"},
	); err != nil {
		return err
	}
	return r.clusterFlags.check(p, cmd)
}

// pipeline is a run: each of its stages reads what the one before it wrote.
type pipeline struct {
	*runFlags
	src    []mapreduce.Source
	out    mapreduce.Destination
	stages []stage
	do     planRunner
	saved  saved
	folder string // for what is between stages, where tasks are processes of their own
	result result
}

// planRunner runs a plan to its end, with so many reduces (0: as many as fit). key names it in the
// state, if it has one. Counters are there after errors, too.
type planRunner func(ctx context.Context, plan *mapreduce.Plan, reduces int, key string) (*counter.Set, error)

// run does the stages of a job one after the other and reports.
func (p *program) run(cmd *cobra.Command, r *runFlags, inputs []string, stages []stage) (err error) {
	if err := r.check(p, cmd); err != nil {
		return err
	}
	ctx := cmd.Context()
	w := &pipeline{runFlags: r, stages: stages, result: result{Output: r.output, Counters: new(counter.Set)}}
	if r.stateDir != "" {
		a, err := newAbout(cmd, r.output, inputs)
		if err == nil {
			w.saved, err = r.openState(a)
		}
		if err != nil {
			return err
		}
		defer func() {
			if err := w.saved.Close(); err != nil { // harms no output
				fmt.Fprintf(p.stderr, "tarry: warning: %v\n", w.saved.fault(err))
			}
		}()
	}
	last := len(stages) - 1
	if how, yes := w.saved.done(last, r.output); yes {
		w.result.Job, w.result.Earlier, w.result.began = how.Name, true, time.Now().Add(-how.Elapsed)
		err := errors.Join(w.saved.resumable(r.directory(), last).Finish(), os.RemoveAll(w.saved.between()))
		return w.result.report(ctx, p, r, err)
	}
	if err := w.open(ctx, p, inputs); err != nil {
		return err
	}
	if err := w.saved.begin(); err != nil {
		return err
	}
	stop, err := p.startRun(cmd, w)
	if err != nil {
		return err
	}
	w.result.began = time.Now()
	err = w.runStages(ctx)
	err = w.result.report(ctx, p, r, errors.Join(err, stop()))
	if err == nil && cmd.Name() == "grep" && r.stateDir == "" && !found(w.result.Counters) {
		return &exitError{code: exitNone}
	}
	return err
}

// open looks at the output and the inputs.
func (w *pipeline) open(ctx context.Context, p *program, inputs []string) (err error) {
	if w.out, err = p.openOutput(&w.jobFlags, w.saved, len(w.stages)-1); err != nil {
		return err
	}
	if w.src, err = p.inputs(ctx, inputs); err != nil {
		return err
	}
	if err := w.checkBlocks(w.src); err != nil {
		return err
	}
	if columns := w.stages[0].columns; columns != nil {
		if err := columns.CheckHeaders(w.src); err != nil {
			return usageError("%w", err)
		}
	}
	if !w.stages[0].binary && !w.quiet {
		p.warnBinary(w.src)
	}
	return firstError(checkEvents(w.events, w.output, w.src), w.checkReplaced(w.src))
}

// runStages runs each stage on what the one before it wrote.
func (w *pipeline) runStages(ctx context.Context) (err error) {
	last := len(w.stages) - 1
	between, clean, err := w.betweenStages(last)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, clean(err == nil)) }()
	for i, s := range w.stages {
		to, dir := w.out, ""
		if i < last {
			dir = between + "/" + strconv.Itoa(i)
			to = w.saved.resumable(mapreduce.Dir(dir), i)
		}
		if _, done := w.saved.done(i, dir); done && i < last { // by a process that was killed later
			err = to.Finish()
		} else {
			err = w.stage(ctx, s, to, i)
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

// stage runs one of the stages.
func (w *pipeline) stage(ctx context.Context, s stage, to mapreduce.Destination, i int) error {
	do := func(ctx context.Context, plan *mapreduce.Plan, reduces int, key string) (*counter.Set, error) {
		counters, err := w.do(ctx, plan, reduces, key)
		w.result.Counters.Merge(counters)
		return counters, err
	}
	round := func(ctx context.Context, plan *mapreduce.Plan) (*counter.Set, error) {
		return do(ctx, plan, w.reduces, "") // rounds are not remembered: they begin anew, and come to the same
	}
	src := w.src
	w.src = nil // the plan has its own, of perhaps a hundred thousand files
	plan, err := s.plan(ctx, round, src, to)
	if err != nil {
		return err
	}
	if w.maxSkips > 0 && plan.SkipsFit() != nil {
		return usageError("--max-skips: %s reads runs of lines, not records, and leaves out none", plan.Name())
	}
	if w.result.Job == "" {
		w.result.Job = plan.Name()
	}
	reduces, last := w.reduces, i == len(w.stages)-1
	if last && w.output == stdoutName && reduces == 0 && !plan.Ordered() {
		reduces = 1 // whose part is in the order of the keys
	}
	counters, err := do(ctx, plan, reduces, w.saved.key(i))
	if last {
		w.result.last = counters
	}
	return err
}

// betweenStages is a directory for what one stage writes for the next; clean is called at the end,
// done if all stages have succeeded.
func (w *pipeline) betweenStages(last int) (dir string, clean func(done bool) error, err error) {
	kept := func(bool) error { return nil }
	switch {
	case last == 0:
		return "", kept, nil
	case worker.Asked(): // where the process that submitted the job made it
		return worker.Folder(), kept, nil
	case w.saved.Dir != nil:
		dir = w.saved.between()
		return dir, func(done bool) error {
			if !done {
				return nil // the next process needs it
			}
			return os.RemoveAll(dir)
		}, os.MkdirAll(dir, 0o777)
	case w.on != "" && stores.Named(w.output): // nodes share nothing else
		out := stores.Clean(w.output)
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
