package cluster

import (
	"context"
	"fmt"
	"slices"

	"github.com/tarry-mr/tarry/dfs"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
	"github.com/tarry-mr/tarry/mapreduce/internal/input"
)

// Splits returns the splits of the input. blocks returns the blocks of a source, in order and
// without gaps. If it is nil or returns none, the source is one block. A source that cannot be
// split is one split with the hosts of its first block.
func (p *Plan) Splits(ctx context.Context, blocks func(source int) []Block) (list []Split, err error) {
	defer fault.Present(ctx, &err)
	defer input.Verify(&err, p.job.Sources, true)
	defer fault.Catch(&err)
	defer fault.Guard(fault.Guard(true))
	for i, s := range p.job.Sources {
		var cut []Block
		if blocks != nil {
			cut = blocks(i)
		}
		switch {
		case len(cut) == 0:
			cut = []Block{{Length: s.Size()}}
		case !s.Splittable() || p.job.Inputs[i].Whole:
			cut = []Block{{Length: s.Size(), Hosts: cut[0].Hosts}}
		}
		if s.Splittable() {
			cut = p.job.Inputs[i].pieces(cut)
		}
		if len(cut) > dfs.MaxBlocks {
			return nil, fmt.Errorf("%s: %d bytes are more than %d splits: use larger blocks or splits", s.Name(), s.Size(), dfs.MaxBlocks)
		}
		if p.job.Inputs[i].Cut != nil {
			if cut, err = p.job.Inputs[i].Cut(ctx, s, cut); err != nil {
				return nil, err
			}
		}
		for _, b := range cut {
			list = append(list, Split{Source: i, Offset: b.Offset, Length: b.Length, Hosts: slices.Clone(b.Hosts)})
		}
	}
	p.job.Maps = len(list)
	return list, nil
}

// BlocksOf returns an argument for Splits: it cuts each source into blocks of size bytes, the last
// one shorter if necessary. It lists no more blocks than Splits needs to reject their number.
func (b *Bound) BlocksOf(size int64) func(source int) []Block {
	return func(source int) (list []Block) {
		total := b.Sources[source].Size()
		for off := int64(0); off < total && len(list) <= dfs.MaxBlocks; off += size {
			list = append(list, Block{Offset: off, Length: min(size, total-off)})
		}
		return list
	}
}
