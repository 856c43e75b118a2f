package cluster

import (
	"context"
	"errors"

	"github.com/tarry-mr/tarry/dfs"
	"github.com/tarry-mr/tarry/mapreduce/counter"
	"github.com/tarry-mr/tarry/mapreduce/internal/input"
)

// InputPlan tells a Plan how to split an input.
type InputPlan struct {
	Whole    bool  // one split per source, whatever its blocks
	Apart    bool  // no split spans several sources
	Size     int64 // maximum bytes of a split; 0: no limit
	Sequence bool  // the source is a user's iterator, which only one map can read
	Chunks   bool  // records are counted by MapInputChunks
	Parted   bool  // one split per part of a file; see Format
	Wrong    error // the error that Bind reports
	// Cut, if not nil, returns an input's own splits of a source, in place of its blocks.
	Cut func(ctx context.Context, s input.Source, blocks []Block) ([]Block, error)
}

// Check returns an error for an invalid input, or one that cannot have a Size.
func (in InputPlan) Check() error {
	switch {
	case in.Wrong != nil:
		return in.Wrong
	case in.Size != 0 && (in.Whole || in.Cut != nil):
		return errors.New("SplitSize has no effect on this input: its splits are its own")
	}
	return nil
}

// pieces cuts each block that is larger than the maximum split into pieces of even size.
func (in InputPlan) pieces(blocks []Block) []Block {
	if in.Size == 0 {
		return blocks
	}
	var list []Block
	for _, b := range blocks {
		n := max((b.Length+in.Size-1)/in.Size, 1)
		for i, from := int64(1), b.Offset; i <= n && len(list) <= dfs.MaxBlocks; i++ {
			to := b.Offset + b.Length/n*i + min(b.Length%n, i)
			list = append(list, Block{Offset: from, Length: to - from, Hosts: b.Hosts})
			from = to
		}
	}
	return list
}

// Counter returns the counter of the input's records: MapInputChunks or MapInputRecords.
func (in InputPlan) Counter() counter.ID {
	if in.Chunks {
		return counter.MapInputChunks
	}
	return counter.MapInputRecords
}
