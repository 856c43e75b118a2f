package main

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/mapreduce"
)

// batch is a batch at work.
type batch struct {
	program *program
	flags   *clusterFlags
	name    string
	jobs    []*batchRun
	mu      sync.Mutex // for what changes in jobs
}

// batchRun is one job of it.
type batchRun struct {
	*batchJob
	work
	handle *actors.JobHandle // of the stage that runs; nil before and after
	ended  bool
	err    error
}

// add looks at a job's output and inputs.
func (b *batch) add(ctx context.Context, j *batchJob) error {
	out, err := b.program.openOutput(&j.flags)
	if err != nil {
		return asConfig(err)
	}
	src, err := b.program.inputs(ctx, j.inputs)
	if err == nil {
		err = b.flags.checkBlocks(src)
	}
	if err != nil {
		return err
	}
	b.jobs = append(b.jobs, &batchRun{batchJob: j, work: work{
		flags: &j.flags, src: src, out: out, stages: j.stages, between: b.flags.spillDir, result: newResult(j.flags.output),
	}})
	return nil
}

// run starts each job at its time and waits for all.
func (b *batch) run(ctx context.Context, cluster *clusterEngine) {
	if !b.flags.quiet && !b.flags.noProgress {
		defer b.program.showProgress(b.bars(), b.progress)()
	}
	var all sync.WaitGroup
	for _, j := range b.jobs {
		all.Go(func() {
			timer := time.NewTimer(j.at)
			defer timer.Stop()
			var err error
			select {
			case <-timer.C:
				j.result.began = time.Now()
				err = runStages(ctx, &batchEngine{cluster, b, j}, &j.work)
			case <-ctx.Done():
				err = context.Cause(ctx)
			}
			j.result.end(ctx, err)
			b.mu.Lock()
			defer b.mu.Unlock()
			j.ended, j.err = true, err
		})
	}
	all.Wait()
}

// report says how each job ended, in the order of the file.
func (b *batch) report() error {
	failed := 0
	for _, j := range b.jobs {
		r := j.result
		r.Line, r.AtSeconds = j.line, j.at.Seconds()
		if j.err != nil {
			failed++
		}
		switch {
		case b.flags.json:
			if err := json.NewEncoder(b.program.stdout).Encode(r); err != nil {
				return err
			}
		case j.err != nil:
			fmt.Fprintf(b.program.stderr, "%s:%d: %s: %s\n", b.name, j.line, r.line(), oneLine(j.err))
		case !b.flags.quiet:
			fmt.Fprintf(b.program.stderr, "%s:%d: %s%s: %s\n", b.name, j.line, r.line(), locality(r.Counters), r.Output)
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d jobs failed", failed, len(b.jobs))
	}
	return nil
}

// locality says where the maps of a job ran.
func locality(c *mapreduce.Counters) string {
	of := func(what string) int64 { return c.Named(mapreduce.GroupJob, what+" map tasks") }
	return fmt.Sprintf(", maps %d node-local, %d rack-local, %d elsewhere", of("Data-local"), of("Rack-local"), of("Other local"))
}

// batchEngine runs the stages of one job and tells the batch of its progress.
type batchEngine struct {
	*clusterEngine
	batch *batch
	job   *batchRun
}

func (e *batchEngine) run(ctx context.Context, plan *mapreduce.Plan, j *jobFlags) (*mapreduce.Counters, error) {
	set := func(h *actors.JobHandle) {
		e.batch.mu.Lock()
		defer e.batch.mu.Unlock()
		e.job.handle = h
	}
	return e.clusterEngine.run(ctx, plan, j, func(h *actors.JobHandle) func() {
		set(h)
		return func() { set(nil) }
	})
}

// mostBars is how many jobs have a bar of their own.
const mostBars = 12

// bars names the bars: one for each job if they are few, and one for all.
func (b *batch) bars() []string {
	var names []string
	for _, j := range b.jobs[:min(len(b.jobs), mostBars)] {
		names = append(names, fmt.Sprintf("line %d", j.line))
	}
	return append(names, "all")
}

// progress is what the display shows.
func (b *batch) progress() progress {
	b.mu.Lock()
	defer b.mu.Unlock()
	var p progress
	sum, ended, running := 0.0, 0, 0
	for i, j := range b.jobs {
		now := bar{text: "waits"}
		switch {
		case j.ended:
			now = bar{1, j.result.State}
			ended++
		case j.handle != nil:
			s := statusOf(j.handle.Progress())
			now = bar{s.done(), s.details()}
			running++
		}
		sum += now.part
		if i < mostBars {
			p.bars = append(p.bars, now)
		}
	}
	text := fmt.Sprintf("%d of %d jobs ended, %d running", ended, len(b.jobs), running)
	part := sum / float64(len(b.jobs))
	p.bars = append(p.bars, bar{part, text})
	p.line = fmt.Sprintf(" %d%%, %s", percent(part), text)
	return p
}
