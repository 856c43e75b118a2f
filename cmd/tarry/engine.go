package main

import (
	"context"

	"github.com/tarry-mr/tarry/mapreduce"
)

// engine runs plans one after the other: on a cluster, or inline.
type engine struct {
	flags *runFlags
}

// startEngine starts what the flags ask for.
func (p *program) startEngine(r *runFlags) (*engine, error) {
	return &engine{flags: r}, nil
}

// run runs a plan to its end. Counters are there after errors, too.
func (e *engine) run(ctx context.Context, plan *mapreduce.Plan) (*mapreduce.Counters, error) {
	return mapreduce.RunLocal(ctx, plan, mapreduce.LocalOptions{Reduces: e.flags.reduces, Blocks: e.flags.inlineBlocks(plan)})
}

// close stops what runs.
func (e *engine) close() error { return nil }

// inlineBlocks cuts sources for a run without a cluster, if a block size is given.
func (r *runFlags) inlineBlocks(plan *mapreduce.Plan) func(int) []mapreduce.Block {
	size := int64(r.blockSize)
	if size == 0 {
		return nil
	}
	return func(source int) []mapreduce.Block {
		var list []mapreduce.Block
		total := plan.Sources()[source].Size()
		for off := int64(0); off < total; off += size {
			list = append(list, mapreduce.Block{Offset: off, Length: min(size, total-off)})
		}
		return list
	}
}
