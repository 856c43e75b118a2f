package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/actors/worker"
	"github.com/tarry-mr/tarry/dfs/stores"
	"github.com/tarry-mr/tarry/internal/cli/internal/numbers"
	"github.com/tarry-mr/tarry/internal/cli/internal/progress"
	"github.com/tarry-mr/tarry/internal/cli/internal/words"
	"github.com/tarry-mr/tarry/internal/scratch"
	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/counter"
)

// runFlags are the flags that all `tarry run` commands share.
type runFlags struct {
	jobFlags
	clusterFlags

	inline   bool
	on       string // an engine; empty: a cluster in this process
	counters bool
}

// register adds the flags to the command and its sub-commands.
func (r *runFlags) register(cmd *cobra.Command) {
	r.jobFlags.register(cmd)
	r.clusterFlags.register(cmd)
	cmd.PersistentFlags().BoolVar(&r.inline, "inline", false,
		"run in one goroutine without a cluster: the plain way, to compare with")
	cmd.PersistentFlags().StringVar(&r.on, "on", "",
		"run each task in a process of its own: processes:4, so many at once, yarn, a master of Spark, slurm, k8s-job:IMAGE, prism (default: a cluster in this process)")
	cmd.PersistentFlags().BoolVar(&r.counters, "counters", false, "print all counters at the end, in Hadoop's layout")
	grouped(cmd, "Diagnostics", "counters")
	grouped(cmd, "Cluster", "inline on")
	excludes(cmd, "counters", "quiet json")
	excludes(cmd, "inline", "on memory task-timeout "+ofCluster)
	excludes(cmd, "on", ofCluster)
}

// ofCluster are flags that say something of a cluster in this process.
const ofCluster = "user pool queue priority racks nodes map-slots reduce-slots replication parallelism " +
	"seed events trace-out emulate-network node-link oversubscription scheduler " +
	"reduce-placement slow-start policy set wait rack-wait skips speculation preemption " +
	"no-spread allocations queues parameters chaos state"

// check refuses values that cannot work.
func (r *runFlags) check(p *program, cmd *cobra.Command) error {
	if err := r.jobFlags.check(); err != nil {
		return err
	}
	if r.inline && r.stateDir != "" {
		return usageError("--state: --inline has no cluster whose work could be remembered")
	}
	r.elsewhere = r.on != ""
	if r.on != "" {
		if err := worker.Check(r.on); err != nil {
			return usageError("--on %w", err)
		}
	}
	if r.json && (strings.HasPrefix(r.on, "k8s-job:") || r.on == "streaming-command") {
		return usageError("--on %s and --json both want standard output", r.on)
	}
	toStdout := "with standard output: want " + outputFlag(cmd) + " DIR"
	if err := refuse(cmd, idle{r.output == stdoutName, toStdout, "overwrite on state"}); err != nil {
		return err
	}
	if r.output == stdoutName && r.json {
		return usageError("the result and --json both want standard output; want %s DIR", outputFlag(cmd))
	}
	return r.clusterFlags.check(p, cmd)
}

// run does the stages of a job one after the other and reports.
func (p *program) run(cmd *cobra.Command, r *runFlags, inputs []string, stages []stage) (err error) {
	if err := r.check(p, cmd); err != nil {
		return err
	}
	ctx := cmd.Context()
	var belongs about
	if r.stateDir != "" {
		belongs.Command = commandLine(cmd, cmd.Flags().Args())
		if err := belongs.add(r.output, inputs); err != nil {
			return err
		}
		if err := r.openState(&belongs); err != nil {
			return err
		}
		defer p.closeState(&r.clusterFlags)
	}
	r.saved = r.remember(0)
	if was := r.saved.earlier(r.output, len(stages)); was != nil {
		return p.again(&r.clusterFlags, &r.jobFlags, was, len(stages))
	}
	w, err := p.openWork(ctx, &r.jobFlags, &r.clusterFlags, inputs, stages)
	if err == nil {
		err = r.checkSideFiles([]string{r.output}, w.src)
	}
	if err == nil {
		err = checkReplaced(w.src, &r.jobFlags)
	}
	if err != nil {
		return err
	}
	if err := r.beginState(&belongs); err != nil {
		return err
	}
	stopProfile, err := r.profile()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stopProfile()) }()
	runPlan, stop, err := p.startRun(r)
	if err != nil {
		return err
	}
	w.result.began = time.Now()
	err = runStages(ctx, runPlan, w)
	err = w.result.report(ctx, p, &r.clusterFlags, r.counters, errors.Join(err, stop()))
	if err == nil && cmd.Name() == "grep" && r.stateDir == "" && !found(w.result.Counters) {
		return &exitError{code: exitNone}
	}
	return err
}

// planRunner runs a plan to its end, on a cluster or inline. Counters are there after errors, too.
type planRunner func(ctx context.Context, plan *mapreduce.Plan, j *jobFlags) (*counter.Set, error)

// startRun starts what the flags ask for; stop ends it, and writes what was recorded.
func (p *program) startRun(r *runFlags) (run planRunner, stop func() error, err error) {
	if r.inline {
		return r.runInline, func() error { return nil }, nil
	}
	if r.on != "" {
		return p.runOn(r), func() error { return nil }, nil
	}
	watch := func(job *actors.JobHandle) func() {
		if r.quiet || r.noProgress {
			return func() {}
		}
		return p.display.Show(progress.JobBars(job.Name()), func() progress.State { return progress.OfJob(job.Progress()) })
	}
	c, err := startCluster(&r.clusterFlags)
	if err != nil {
		return nil, nil, err
	}
	return c.watched(watch), func() error {
		defer p.tellChaos(&r.clusterFlags, c)
		return c.close()
	}, nil
}

// runInline is a planRunner in one goroutine, without a cluster.
func (r *runFlags) runInline(ctx context.Context, plan *mapreduce.Plan, j *jobFlags) (*counter.Set, error) {
	o := mapreduce.LocalOptions{Reduces: j.reduces, MaxSkips: j.maxSkips}
	if size := int64(r.blockSize); size > 0 {
		o.Blocks = plan.BlocksOf(size)
	}
	c, err := mapreduce.RunLocal(ctx, plan, o)
	if err != nil {
		return c, fmt.Errorf("inline: %w", err)
	}
	return c, nil
}

// work is a job with all that it needs.
type work struct {
	flags   *jobFlags
	src     []mapreduce.Source
	out     mapreduce.Destination
	stages  []stage
	between string // where what one stage writes for the next goes; empty is the system's place
	result  *result
}

// openWork looks at a job's output and inputs.
func (p *program) openWork(
	ctx context.Context, j *jobFlags, c *clusterFlags, inputs []string, stages []stage,
) (*work, error) {
	out, err := p.openOutput(j, len(stages))
	if err != nil {
		return nil, err
	}
	src, err := p.inputs(ctx, inputs)
	if err == nil {
		err = c.checkBlocks(src)
	}
	if columns := stages[0].columns; err == nil && columns != nil {
		err = columns.checkHeaders(src)
	}
	if err == nil && !stages[0].binary && !c.quiet {
		p.warnBinary(src)
	}
	if err != nil {
		return nil, err
	}
	r := &result{Output: j.output, Counters: new(counter.Set), began: time.Now()}
	return &work{flags: j, src: src, out: out, stages: stages, between: c.spillDir, result: r}, nil
}

// inOrder are the flags of a stage: the last one has one reduce, whose part is in the order of the keys, if
// it goes to standard output and nobody says how many.
func (j *jobFlags) inOrder(plan *mapreduce.Plan, last bool) *jobFlags {
	flags := *j
	if last && flags.output == stdoutName && flags.reduces == 0 && !plan.Ordered() {
		flags.reduces = 1
	}
	return &flags
}

// runStages runs each stage on what the one before it wrote.
func runStages(ctx context.Context, run planRunner, w *work) (err error) {
	last := len(w.stages) - 1
	between, clean, err := w.betweenStages(last)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, clean(err == nil)) }()
	src := w.src
	do := func(ctx context.Context, plan *mapreduce.Plan, j *jobFlags) (*counter.Set, error) {
		counters, err := run(ctx, plan, j)
		w.result.Counters.Merge(counters)
		return counters, err
	}
	round := func(ctx context.Context, plan *mapreduce.Plan) (*counter.Set, error) {
		j := *w.flags
		j.saved = saved{} // rounds are not remembered: they begin anew, and come to the same
		return do(ctx, plan, &j)
	}
	for i, s := range w.stages {
		to, dir := w.out, ""
		if i < last {
			dir = between + "/" + strconv.Itoa(i)
			to = w.flags.saved.resumable(mapreduce.Dir(dir), i)
		}
		if _, done := w.flags.saved.done(i, dir); done && i < last { // by a process that was killed later
			if err = to.Finish(); err == nil {
				src, err = mapreduce.Files(dir)
			}
			if err != nil {
				return err
			}
			continue
		}
		w.flags.stage = i
		plan, err := s.plan(ctx, round, src, to)
		w.src, src = nil, nil // the plan has its own, of perhaps a hundred thousand files
		if err != nil {
			return err
		}
		if err := w.flags.checkSkips(plan); err != nil {
			return err
		}
		w.result.Job = cmp.Or(w.result.Job, plan.Name())
		counters, err := do(ctx, plan, w.flags.inOrder(plan, i == last))
		if i == last {
			w.result.last = counters
		}
		if err != nil {
			return err
		}
		if i < last {
			if src, err = mapreduce.Files(dir); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkSkips refuses --max-skips for a job that does not read records.
func (j *jobFlags) checkSkips(plan *mapreduce.Plan) error {
	if j.maxSkips > 0 && plan.SkipsFit() != nil {
		return usageError("--max-skips: %s reads runs of lines, not records, and leaves out none", plan.Name())
	}
	return nil
}

// betweenStages is a directory for what one stage writes for the next; clean is called at the end,
// done if all stages have succeeded.
func (w *work) betweenStages(last int) (dir string, clean func(done bool) error, err error) {
	if last == 0 {
		return "", func(bool) error { return nil }, nil
	}
	if worker.Asked() { // where the one who submitted the job made it
		return worker.Folder(), func(bool) error { return nil }, nil
	}
	if m := w.flags.saved; m.state != nil {
		return m.dir, func(done bool) error {
			if !done {
				return nil // the next process needs it
			}
			return os.RemoveAll(m.dir)
		}, os.MkdirAll(m.dir, 0o777)
	}
	if w.flags.elsewhere && stores.Named(w.flags.output) { // nodes share nothing else
		return w.stagesInStore()
	}
	made, err := scratch.Dir(w.between, "tarry-stages-")
	if err != nil {
		return "", nil, err
	}
	w.flags.folder = made.Name()
	return made.Name(), func(bool) error { return made.Remove() }, nil
}

// stagesInStore is betweenStages beside an output in a store.
func (w *work) stagesInStore() (dir string, clean func(done bool) error, err error) {
	out := stores.Clean(w.flags.output)
	cut := strings.LastIndexByte(out, '/') + 1
	dir = fmt.Sprintf("%s_%s.stages-%x", out[:cut], out[cut:], time.Now().UnixNano())
	store, within, err := stores.Open(dir)
	w.flags.folder = dir
	return dir, func(bool) error { return store.RemoveAll(within) }, err
}

// again reports a job that had succeeded before, and leaves it at that.
func (p *program) again(c *clusterFlags, j *jobFlags, was *result, stages int) error {
	if err := j.saved.finish(j.saved.resumable(j.directory(), stages-1)); err != nil {
		return err
	}
	if c.json {
		return json.NewEncoder(p.stdout).Encode(was)
	}
	if !c.quiet {
		fmt.Fprintf(p.stderr, "%s: %s is complete\n", was.line(), was.Output)
	}
	return nil
}

// result is the outcome of a run, as --json prints it.
type result struct {
	Line           int          `json:"line,omitempty"`       // of the batch file
	AtSeconds      float64      `json:"at_seconds,omitempty"` // when it began, since the batch did
	Job            string       `json:"job"`
	State          string       `json:"state"` // succeeded, failed or killed
	Output         string       `json:"output"`
	ElapsedSeconds float64      `json:"elapsed_seconds"`
	Earlier        bool         `json:"earlier,omitempty"` // it was there when the command began, see --state
	Error          string       `json:"error,omitempty"`
	Counters       *counter.Set `json:"counters"`

	began time.Time
	last  *counter.Set // of the job that writes the output; nil before it
}

// end notes how the run ended.
func (r *result) end(ctx context.Context, err error) {
	r.ElapsedSeconds = time.Since(r.began).Seconds()
	r.State = "succeeded"
	if err != nil {
		r.State, r.Error = "failed", words.OneLine(err)
	}
	if ctx.Err() != nil {
		r.State = "killed"
	}
}

// line says in a line how the run ended.
func (r *result) line() string {
	took := time.Duration(r.ElapsedSeconds * float64(time.Second)).Round(time.Millisecond)
	earlier := ""
	if r.Earlier {
		earlier = " earlier"
	}
	return fmt.Sprintf("%s %s%s in %s", cmp.Or(r.Job, "job"), r.State, earlier, took)
}

// amounts says in a line what was read by all jobs of the run, and written by the last.
func (r *result) amounts() string {
	c := r.Counters
	read := numbers.Human(c.Get(counter.InputBytesRead))
	if n := c.Get(counter.MapInputRecords); n > 0 {
		read = records(n) + ", " + read
	}
	var last counter.Set // of the job that wrote
	last.Merge(r.last)
	wrote := last.Get(counter.MapOutputRecords)
	for v := range last.All() {
		if v.Name == counter.ReduceOutputRecords.String() { // a job without reduces does not have it
			wrote = v.Value
		}
	}
	return fmt.Sprintf("read %s; wrote %s, %s", read, records(wrote), numbers.Human(last.Get(counter.OutputBytesWritten)))
}

// records is a number of them: 1 record, 12,345 records.
func records(n int64) string {
	count, noun, _ := strings.Cut(words.Count(n, "record"), " ")
	return numbers.Thousands(count) + " " + noun
}

// report prints how the run ended: three lines to standard error, the counters if they are asked
// for, or all as JSON to standard output. It gives err back, with what went wrong in printing.
func (r *result) report(ctx context.Context, p *program, f *clusterFlags, counters bool, err error) error {
	r.end(ctx, err)
	if f.json {
		return errors.Join(err, json.NewEncoder(p.stdout).Encode(r))
	}
	if f.quiet || nobodyReads(err) {
		return err
	}
	if _, bad := fmt.Fprintln(p.stderr, r.line()); bad != nil {
		return err // nobody listens
	}
	for range r.Counters.All() { // none where nothing began
		fmt.Fprintf(p.stderr, "%s\n%s\n", r.amounts(), ranWhere(r.Counters))
		if counters {
			_ = r.Counters.Print(p.stderr)
		}
		break
	}
	return err
}
