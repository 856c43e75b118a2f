package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/user"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/actors/serve"
	"github.com/tarry-mr/tarry/actors/worker"
	"github.com/tarry-mr/tarry/dfs/stores"
	"github.com/tarry-mr/tarry/internal/cli/internal/progress"
	"github.com/tarry-mr/tarry/internal/scratch"
	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/counter"
)

// pipeline is one call of `tarry run`. Each stage of its job reads the previous stage's output.
type pipeline struct {
	*jobCommand
	*runFlags
	src    []mapreduce.Source
	out    mapreduce.Destination
	live   *actors.Cluster // nil with --inline or --on
	halt   func() error    // ends live; running attempts first get haltGrace
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
	if !w.binary && !w.quiet && !worker.IsWorker() { // for a worker, its parent process has warned
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

// stage runs s, the stage with index i, on w.src and writes its output to the destination to.
func (w *pipeline) stage(s serve.Stage, to mapreduce.Destination, i int) error {
	round := func(ctx context.Context, plan *mapreduce.Plan) (*counter.Set, error) {
		return w.do(ctx, plan, w.Reduces, "") // no key: a resumed run repeats rounds
	}
	src := w.src
	w.src = nil // frees the list, maybe of 100,000 files; the plan has its own
	plan, err := s(w.Context(), round, src, to)
	if err != nil {
		return err
	}
	if w.MaxSkips > 0 && plan.Job().SkipsFit() != nil {
		return usageError("--max-skips: %s reads runs of lines, not records, and leaves out none", plan.Job().Name)
	}
	if w.result.Job == "" {
		w.result.Job = plan.Job().Name
	}
	reduces, last := w.Reduces, i == len(w.Stages)-1
	if last && w.Output == stdoutName && reduces == 0 && !plan.Job().Ordered {
		reduces = 1 // keeps standard output ordered by keys
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
	case w.on != "" && stores.Named(w.Output): // the engine's hosts share only the store
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

// haltGrace is the time that running attempts get after the first signal.
const haltGrace = 2 * time.Second

// do runs a plan to its end. reduces is the number of reduces; 0 chooses it by the size of the
// input. key names the plan in the state, if there is one. It returns the counters even with an
// error.
func (w *pipeline) do(ctx context.Context, plan *mapreduce.Plan, reduces int, key string) (c *counter.Set, err error) {
	switch {
	case w.inline:
		c, err = w.runInline(ctx, plan, reduces)
	case worker.IsWorker(): // this process runs only its one task of the plan
		c, err = worker.Serve(ctx, plan)
	case w.on != "":
		c, err = w.runOn(ctx, plan, reduces)
	default:
		c, err = w.runLive(ctx, plan, reduces, key)
	}
	w.result.Counters.Merge(c)
	return c, err
}

// runInline runs a plan in one goroutine, without a cluster.
func (w *pipeline) runInline(ctx context.Context, plan *mapreduce.Plan, reduces int) (*counter.Set, error) {
	o := mapreduce.LocalOptions{Reduces: reduces, MaxSkips: w.MaxSkips}
	if size := w.cluster.BlockSize; size > 0 {
		o.Blocks = plan.Job().BlocksOf(size)
	}
	c, err := mapreduce.RunLocal(ctx, plan, o)
	if err != nil {
		err = fmt.Errorf("inline: %w", err)
	}
	return c, err
}

// runOn runs a plan on the engine of --on.
func (w *pipeline) runOn(ctx context.Context, plan *mapreduce.Plan, reduces int) (*counter.Set, error) {
	o := worker.Options{
		On: w.on, Reduces: reduces, BlockSize: w.cluster.BlockSize, Memory: w.cluster.Memory, SpillDir: w.cluster.SpillDir,
		Folder: w.folder, MaxSkips: w.MaxSkips, TaskTimeout: w.timeout(w.Command), Print: struct{ io.Writer }{w.stdout},
		Settings: w.settings,
	}
	if f, ok := w.stdout.(*os.File); ok { // closed after the engine's output, so that a pipe such as | kubectl apply -f - continues
		o.Print = f
	}
	if !w.quiet {
		o.Log = w.stderr
	}
	if !w.quiet && !w.noProgress {
		update, stop := w.display.ShowLatest()
		o.Progress = func(p worker.Progress) { update(plan.Job().Name + " " + p.String()) }
		defer stop()
	}
	return worker.Submit(ctx, plan, o)
}

// runLive runs a plan on the cluster.
func (w *pipeline) runLive(ctx context.Context, plan *mapreduce.Plan, reduces int, key string) (*counter.Set, error) {
	job, err := w.live.Submit(ctx, plan, actors.SubmitOptions{Reduces: reduces, MaxSkips: w.MaxSkips, User: whoRuns(), Key: key})
	if err != nil {
		return nil, err
	}
	if !w.quiet && !w.noProgress {
		defer w.display.Show(func() string { return plan.Job().Name + " " + progress.OfJob(job.Progress()) })()
	}
	res, err := job.Wait(ctx)
	if ctx.Err() != nil { // the job may still run
		if err := w.halt(); err != nil {
			return nil, err
		}
		res, err = job.Wait(context.WithoutCancel(ctx))
	}
	return res.Counters, err
}

// startCluster starts the cluster that the flags describe, and keeps buffers and Go heap together
// within its memory budget. stop ends the cluster and closes the file of events.
func (w *pipeline) startCluster() (stop func() error, err error) {
	cfg, err := w.config(w.Command)
	if err != nil {
		return nil, err
	}
	rec, err := openRecord(w.events)
	if err != nil {
		return nil, err
	}
	cfg.Events, cfg.State = sink(rec), w.saved.Dir
	var disturbed []string
	if cfg.Chaos != nil {
		cfg.Chaos.Tell = func(what string) { disturbed = append(disturbed, what) }
	}
	if w.live, err = actors.Start(cfg); err != nil {
		return nil, errors.Join(invalid(err), rec.Close())
	}
	unlimit := func() {}
	if cfg.Memory > 0 {
		unlimit = cluster.LimitHeap(cfg.Memory + besideBudget)
	}
	w.halt = sync.OnceValue(func() error {
		grace, cancel := context.WithTimeout(context.Background(), haltGrace)
		defer cancel()
		return w.live.Halt(grace)
	})
	return func() error {
		defer unlimit()
		err := errors.Join(w.live.Close(), rec.Close())
		if cfg.Chaos != nil && !w.quiet {
			for _, what := range append(disturbed, fmt.Sprintf("%d: %d disturbances", w.chaos, len(disturbed))) {
				fmt.Fprintln(w.stderr, "chaos:", what)
			}
		}
		return err
	}, nil
}

// whoRuns returns the name or ID of this process's user, or "" if the system does not know it.
func whoRuns() string {
	who, err := user.Current()
	if err != nil {
		return ""
	}
	return cmp.Or(who.Username, who.Uid)
}
