package cluster

import (
	"context"
	"errors"
	"fmt"

	"github.com/tarry-mr/tarry/dfs"
	"github.com/tarry-mr/tarry/mapreduce/counter"
	"github.com/tarry-mr/tarry/mapreduce/internal/input"
)

// InputPlan is what a Plan must know of an input to cut it.
type InputPlan struct {
	Whole    bool  // one split a source, whatever its blocks
	Apart    bool  // no split of several sources
	Size     int64 // the most bytes of a split; 0: no bound of its own
	Sequence bool  // the user's iterator
	Once     bool  // which may not be sampled
	Chunks   bool  // its records count as chunks
	Sized    bool  // by SplitSize
	Parted   bool  // records can be found from the beginning of a part on only; see Format
	Wrong    error // what Bind has to say of the input
	// Cut, if not nil, returns the splits of a source instead of its blocks.
	Cut func(ctx context.Context, s input.Source, blocks []Block) ([]Block, error)
}

// Check is an error of the input, or of SplitSize.
func (in InputPlan) Check() error {
	switch {
	case in.Wrong != nil:
		return in.Wrong
	case in.Sized && (in.Whole || in.Cut != nil):
		return errors.New("SplitSize has no effect on this input: its splits are its own")
	case in.Sized && in.Size < 1:
		return fmt.Errorf("SplitSize of %d: a split has at least 1 byte", in.Size)
	}
	return nil
}

// pieces cuts blocks that are larger than a split may be into even pieces.
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

// Counter is what its records count as.
func (in InputPlan) Counter() counter.ID {
	if in.Chunks {
		return counter.MapInputChunks
	}
	return counter.MapInputRecords
}
