package mapreduce

import (
	"context"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/counter"
)

// Plan is a job bound to its input and output, with its types erased. It runs once, on a cluster or by
// [RunLocal]. Bind makes it; package cluster has what those call who run plans.
type Plan = cluster.Plan

// DebugOptions are choices for [Plan.Debug]; the zero value is useful.
type DebugOptions = cluster.DebugOptions

// LocalOptions are choices for RunLocal; the zero value is useful.
type LocalOptions = cluster.LocalOptions

// RunLocal runs a plan from start to end in this goroutine: no cluster, budget, spills or clever data
// structures. It keeps everything in memory and is the oracle that the engine is tested against. After
// an error no output is left.
func RunLocal(ctx context.Context, p *Plan, o LocalOptions) (*counter.Set, error) {
	return cluster.RunLocal(ctx, p, o)
}
