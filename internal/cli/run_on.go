package cli

import (
	"cmp"
	"context"
	"io"
	"os"

	"github.com/tarry-mr/tarry/actors/worker"
	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/counter"
)

// printed is standard output for what somebody else is to run. It ends when that is printed, so that a pipe
// such as | kubectl apply -f - goes on.
func (p *program) printed() io.Writer {
	if f, ok := p.stdout.(*os.File); ok {
		return f
	}
	return struct{ io.Writer }{p.stdout}
}

// runOn is the planRunner of --on: plans run on an engine, or, in a process that this program was started
// again as, the one task that it is there for.
func (p *program) runOn(r *runFlags) planRunner {
	return func(ctx context.Context, plan *mapreduce.Plan, j *jobFlags) (*counter.Set, error) {
		if worker.Asked() {
			return worker.Serve(ctx, plan)
		}
		o := worker.Options{
			On: r.on, Reduces: j.reduces, BlockSize: int64(r.blockSize), Memory: int64(r.memory), SpillDir: r.spillDir,
			Folder: j.folder, MaxSkips: j.maxSkips, TaskTimeout: cmp.Or(r.timeout(), -1), Print: p.printed(),
		}
		if !r.quiet {
			o.Log = p.stderr
		}
		return worker.Submit(ctx, plan, o)
	}
}
