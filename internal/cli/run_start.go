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
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/actors/worker"
	"github.com/tarry-mr/tarry/internal/cli/internal/progress"
	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/counter"
)

// haltGrace is the time that running attempts get after the first signal.
const haltGrace = 2 * time.Second

// startRun starts what the plans of a pipeline run on. stop ends it and closes the file of events.
func (p *program) startRun(cmd *cobra.Command, w *pipeline) (stop func() error, err error) {
	switch nothing := func() error { return nil }; {
	case w.inline:
		w.do = w.runInline
		return nothing, nil
	case w.on != "":
		w.do = p.runOn(cmd, w)
		return nothing, nil
	}
	return p.startCluster(cmd, w)
}

// runInline is a planRunner in one goroutine, without a cluster.
func (w *pipeline) runInline(ctx context.Context, plan *mapreduce.Plan, reduces int, _ string) (*counter.Set, error) {
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

// runOn returns the planRunner of --on. It runs plans on an engine; in a worker process, it runs
// the one task of that process.
func (p *program) runOn(cmd *cobra.Command, w *pipeline) planRunner {
	return func(ctx context.Context, plan *mapreduce.Plan, reduces int, _ string) (*counter.Set, error) {
		if worker.IsWorker() {
			return worker.Serve(ctx, plan)
		}
		o := worker.Options{
			On: w.on, Reduces: reduces, BlockSize: w.cluster.BlockSize, Memory: w.cluster.Memory, SpillDir: w.cluster.SpillDir,
			Folder: w.folder, MaxSkips: w.MaxSkips, TaskTimeout: w.timeout(cmd), Print: struct{ io.Writer }{p.stdout},
			Settings: w.settings,
		}
		if f, ok := p.stdout.(*os.File); ok { // closed after the engine's output, so that a pipe such as | kubectl apply -f - continues
			o.Print = f
		}
		if !w.quiet {
			o.Log = p.stderr
		}
		if !w.quiet && !w.noProgress {
			var last atomic.Value
			last.Store("")
			o.Progress = func(p worker.Progress) { last.Store(plan.Name() + " " + p.String()) }
			defer p.display.Show(func() string { return last.Load().(string) })()
		}
		return worker.Submit(ctx, plan, o)
	}
}

// startCluster starts the cluster that the flags describe. It limits the Go heap to the part of the
// memory budget that buffers do not use.
func (p *program) startCluster(cmd *cobra.Command, w *pipeline) (stop func() error, err error) {
	cfg, err := w.config(cmd)
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
	live, err := actors.Start(cfg)
	if err != nil {
		return nil, errors.Join(configError("%w", err), rec.Close())
	}
	unlimit := func() {}
	if cfg.Memory > 0 {
		unlimit = cluster.LimitHeap(cfg.Memory + besideBudget)
	}
	halt := sync.OnceValue(func() error {
		grace, cancel := context.WithTimeout(context.Background(), haltGrace)
		defer cancel()
		return live.Halt(grace)
	})
	w.do = func(ctx context.Context, plan *mapreduce.Plan, reduces int, key string) (*counter.Set, error) {
		job, err := live.Submit(ctx, plan, actors.SubmitOptions{Reduces: reduces, MaxSkips: w.MaxSkips, User: whoRuns(), Key: key})
		if err != nil {
			return nil, err
		}
		if !w.quiet && !w.noProgress {
			defer p.display.Show(func() string { return job.Name() + " " + progress.OfJob(job.Progress()) })()
		}
		select {
		case <-job.Done():
		case <-ctx.Done():
			if err := halt(); err != nil {
				return nil, err
			}
		}
		res, err := job.Wait(context.WithoutCancel(ctx))
		return res.Counters, err
	}
	return func() error {
		defer unlimit()
		err := errors.Join(live.Close(), rec.Close())
		if cfg.Chaos != nil && !w.quiet {
			for _, what := range append(disturbed, fmt.Sprintf("%d: %d disturbances", w.chaos, len(disturbed))) {
				fmt.Fprintln(p.stderr, "chaos:", what)
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
