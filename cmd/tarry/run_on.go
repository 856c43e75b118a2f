package main

import (
	"context"

	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/worker"
)

// runOn is the planRunner of --on: plans run on an engine, or, in a process that this program was started
// again as, the one task that it is there for.
func (p *program) runOn(r *runFlags) planRunner {
	return func(ctx context.Context, plan *mapreduce.Plan, j *jobFlags) (*mapreduce.Counters, error) {
		if worker.Asked() {
			return worker.Serve(ctx, plan)
		}
		o := worker.Options{
			On: r.on, Reduces: j.reduces, BlockSize: int64(r.blockSize), Memory: int64(r.memory), SpillDir: r.spillDir,
			Folder: j.folder,
		}
		if !r.quiet {
			o.Log = p.stderr
		}
		return worker.Submit(ctx, plan, o)
	}
}
