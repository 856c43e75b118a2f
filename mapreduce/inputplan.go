package mapreduce

import (
	"context"
	"errors"
	"fmt"

	"github.com/tarry-mr/tarry/dfs"
	"github.com/tarry-mr/tarry/mapreduce/counter"
	"github.com/tarry-mr/tarry/mapreduce/internal/input"
)

// inputPlan is what a Plan must know of an input to cut it.
type inputPlan struct {
	whole    bool  // one split a source, whatever its blocks
	apart    bool  // no split of several sources
	size     int64 // the most bytes of a split; 0: no bound of its own
	sequence bool  // the user's iterator
	once     bool  // which may not be sampled
	chunks   bool  // its records count as chunks
	sized    bool  // by SplitSize
	parted   bool  // records can be found from the beginning of a part on only; see Format
	wrong    error // what Bind has to say of the input
	// cut, if not nil, returns the splits of a source instead of its blocks.
	cut func(ctx context.Context, s input.Source, blocks []Block) ([]Block, error)
}

// check is an error of the input, or of SplitSize.
func (in inputPlan) check() error {
	switch {
	case in.wrong != nil:
		return in.wrong
	case in.sized && (in.whole || in.cut != nil):
		return errors.New("SplitSize has no effect on this input: its splits are its own")
	case in.sized && in.size < 1:
		return fmt.Errorf("SplitSize of %d: a split has at least 1 byte", in.size)
	}
	return nil
}

// pieces cuts blocks that are larger than a split may be into even pieces.
func (in inputPlan) pieces(blocks []Block) []Block {
	if in.size == 0 {
		return blocks
	}
	var list []Block
	for _, b := range blocks {
		n := max((b.Length+in.size-1)/in.size, 1)
		for i, from := int64(1), b.Offset; i <= n && len(list) <= dfs.MaxBlocks; i++ {
			to := b.Offset + b.Length/n*i + min(b.Length%n, i)
			list = append(list, Block{Offset: from, Length: to - from, Hosts: b.Hosts})
			from = to
		}
	}
	return list
}

// counter is what its records count as.
func (in inputPlan) counter() counter.ID {
	if in.chunks {
		return counter.MapInputChunks
	}
	return counter.MapInputRecords
}
