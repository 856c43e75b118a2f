package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/user"
	"sync"
	"time"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/actors/worker"
	"github.com/tarry-mr/tarry/internal/cli/internal/progress"
	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/counter"
)

// haltGrace is the time that running attempts get after the first signal.
const haltGrace = 2 * time.Second

// do runs a plan to its end. reduces is the number of reduces; 0 chooses it by the size of the input.
// key names the plan in the state, if there is one. It returns the counters even with an error.
func (w *pipeline) do(ctx context.Context, plan *mapreduce.Plan, reduces int, key string) (c *counter.Set, err error) {
	switch {
	case w.inline:
		c, err = w.runInline(ctx, plan, reduces)
	case worker.IsWorker(): // the one task of this process
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
		o.Blocks = plan.BlocksOf(size)
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
		o.Progress = func(p worker.Progress) { update(plan.Name() + " " + p.String()) }
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
		defer w.display.Show(func() string { return job.Name() + " " + progress.OfJob(job.Progress()) })()
	}
	select {
	case <-job.Done():
	case <-ctx.Done():
		if err := w.halt(); err != nil {
			return nil, err
		}
	}
	res, err := job.Wait(context.WithoutCancel(ctx))
	return res.Counters, err
}

// startCluster starts the cluster that the flags describe. It limits the Go heap to the part of the
// memory budget that buffers do not use. stop ends it and closes the file of events.
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

// whoRuns returns the user of this process.
func whoRuns() string {
	who, err := user.Current()
	if err != nil {
		return ""
	}
	return cmp.Or(who.Username, who.Uid)
}
