package mapreduce

import (
	"context"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/counter"
)

// Plan is a job bound to its input and output, with its types erased. Bind returns it. It runs
// once, on a cluster or by [RunLocal]. Package cluster documents the methods for code that runs
// plans.
type Plan = cluster.Plan

// DebugOptions are options of [Plan.Debug]; the zero value is useful.
type DebugOptions = cluster.DebugOptions

// LocalOptions are options of [RunLocal]; the zero value is useful.
type LocalOptions = cluster.LocalOptions

// RunLocal runs a plan from start to end in the calling goroutine, without a cluster, budget or
// spills. It keeps everything in memory and is simple: tests compare the engine with it. After an
// error it leaves no output.
func RunLocal(ctx context.Context, p *Plan, o LocalOptions) (*counter.Set, error) {
	return cluster.RunLocal(ctx, p, o)
}
