package main

import (
	"cmp"
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/mapreduce"
)

// run does the stages of a job one after the other and reports.
func (p *program) run(cmd *cobra.Command, r *runFlags, inputs []string, stages []stage) (err error) {
	if err := r.check(p, cmd); err != nil {
		return err
	}
	ctx := cmd.Context()
	out, err := p.openOutput(&r.jobFlags)
	if err != nil {
		return asConfig(err)
	}
	src, err := p.inputs(ctx, inputs)
	if err == nil {
		err = r.checkBlocks(src)
	}
	if err == nil {
		err = r.checkSideFiles([]string{r.output}, src)
	}
	if err == nil {
		err = checkReplaced(src, &r.jobFlags)
	}
	if err != nil {
		return err
	}
	stopProfile, err := r.profile()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stopProfile()) }()
	engine, err := p.startEngine(r)
	if err != nil {
		return err
	}
	result := newResult(r.output)
	err = runStages(ctx, engine, &work{flags: &r.jobFlags, src: src, out: out, stages: stages, between: r.spillDir, result: result})
	return result.report(ctx, p, &r.clusterFlags, errors.Join(err, engine.close()))
}

// startEngine starts what the flags ask for.
func (p *program) startEngine(r *runFlags) (engine, error) {
	if r.inline {
		return &inlineEngine{flags: &r.clusterFlags}, nil
	}
	watch := func(*actors.JobHandle) func() { return func() {} }
	if !r.quiet && !r.noProgress {
		watch = func(job *actors.JobHandle) func() {
			return p.showProgress(runBars(), func() progress { return statusOf(job.Progress()).progress() })
		}
	}
	cluster, err := startCluster(&r.clusterFlags)
	if err != nil {
		return nil, err
	}
	return &watchedEngine{cluster, watch}, nil
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

// runStages runs each stage on what the one before it wrote.
func runStages(ctx context.Context, e engine, w *work) (err error) {
	between := betweenStages{dir: w.between}
	defer func() { err = errors.Join(err, between.remove()) }()
	src := w.src
	for i, bind := range w.stages {
		to := w.out
		if i < len(w.stages)-1 {
			if to, err = between.next(); err != nil {
				return err
			}
		}
		plan, err := bind(src, to)
		w.src, src = nil, nil // the plan has its own, of perhaps a hundred thousand files
		if err != nil {
			return err
		}
		w.result.Job = cmp.Or(w.result.Job, plan.Name())
		counters, err := e.run(ctx, plan, w.flags)
		w.result.Counters.Merge(counters)
		if err != nil {
			return err
		}
		if i < len(w.stages)-1 {
			if src, err = between.sources(); err != nil {
				return err
			}
		}
	}
	return nil
}
