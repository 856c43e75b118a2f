package actors

import (
	"errors"
	"sort"

	"github.com/tarry-mr/tarry/dfs"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
)

// foldedBlock is the most bytes of a block whose map folds values. What such a map leaves until the
// reduces have ended is its distinct keys, nearly the same ones in every map: twice the block, half as
// much. WordCount of 1 GiB takes 115 MiB instead of 135 on Zipf text, 243 instead of 318 on source code,
// and a tenth less processor time there; where no word comes twice it takes 4 % more.
const foldedBlock = 2 * dfs.DefaultBlockSize

// blockSize is the configured one, or one that gives every slot work. tail is the number
// of blocks at the end of a large input that are read in pieces.
func (c *Cluster) blockSize(input int64, folds bool) (size int64, tail int) {
	if size := c.env.cfg.BlockSize; size != 0 {
		return size, 0
	}
	maps, _ := c.Slots()
	if c.env.computeTokens != nil {
		maps = min(maps, cap(c.env.computeTokens))
	}
	limit := int64(dfs.DefaultBlockSize)
	if folds {
		limit = foldedBlock
	}
	size = dfs.BlockSizeFor(input, maps, limit)
	if size >= dfs.DefaultBlockSize && maps > 1 {
		tail = maps
	}
	return size, tail
}

// register makes blocks of the run's sources and returns where they are. Where each block is
// on every node, neighboring small files that are to be one split are one file to the block
// store: so a hundred thousand cost it nothing. Sources that are streams have no blocks.
func (c *Cluster) register(r *run, size int64, tail int) (blocks func(int) []cluster.Block, err error) {
	limit := int64(0)
	if c.env.fs.Replication() >= len(c.env.places) {
		limit = size
	}
	sources, groups := r.plan.Sources(), r.plan.SmallFiles(limit)
	var names []string
	var files []dfs.Source
	last := 0
	for _, g := range groups {
		i := g.Source
		_, kept := sources[i].Kept()
		switch {
		case kept: // lies where it was made
		case g.Files > 1:
			last = -1
			names, files = append(names, r.blockFile(i)), append(files, together{sources[i].Data, g.Length})
		case sources[i].Data != nil:
			names, files, last = append(names, r.blockFile(i)), append(files, sources[i].Data), i
		}
	}
	r.registered = len(files)
	if err := c.env.fs.RegisterAll(names, files, size); err != nil {
		return nil, err
	}
	var known []cluster.Block // of the group at
	at := -1
	return func(source int) []cluster.Block {
		if sources[source].Data == nil {
			return nil
		}
		if hosts, kept := sources[source].Kept(); kept {
			return keptBlocks(sources[source].Size(), size, hosts)
		}
		g := sort.Search(len(groups), func(i int) bool { return groups[i].Source > source }) - 1
		if g != at {
			known, at = c.blocksOf(r.blockFile(groups[g].Source)), g
		}
		switch {
		case groups[g].Files > 1 && len(known) > 0:
			return []cluster.Block{{Length: sources[source].Size(), Hosts: known[0].Hosts}}
		case source == last:
			return splitTail(known, tail, tailPieces(size))
		}
		return known
	}, nil
}

// keptBlocks cuts a part of a dataset of n bytes into even blocks of at most size bytes.
func keptBlocks(n, size int64, hosts []string) []cluster.Block {
	count := max((n+size-1)/size, 1)
	list := make([]cluster.Block, count)
	for i := range list {
		from, to := n*int64(i)/count, n*int64(i+1)/count
		list[i] = cluster.Block{Offset: from, Length: to - from, Hosts: hosts}
	}
	return list
}

// blocksOf returns where the blocks of a registered file are.
func (c *Cluster) blocksOf(file string) []cluster.Block {
	found, err := c.env.fs.Blocks(file)
	if err != nil {
		return nil // registered just now, and removed by nobody
	}
	list := make([]cluster.Block, len(found))
	for i, b := range found {
		list[i] = cluster.Block{Offset: b.Offset, Length: b.Length, Hosts: make([]string, len(b.Nodes))}
		for k, n := range b.Nodes {
			list[i].Hosts[k] = n.String()
		}
	}
	return list
}

// together is what the block store knows of several small files: the name of the first and
// their length. Maps read the files themselves.
type together struct {
	dfs.Source
	size int64
}

var errTogether = errors.New("actors: a block of several files, to be read from them")

// Size implements dfs.Source.
func (t together) Size() int64 { return t.size }

// ReadAt implements dfs.Source.
func (t together) ReadAt([]byte, int64) (int, error) { return 0, errTogether }

// View implements dfs.Source.
func (t together) View(int64, int) ([]byte, func(), error) { return nil, nil, errTogether }

// heldMemory is what the job takes of the memory in bytes as long as it lasts, on a heap that is
// collected when it has doubled: twice 350 for each file, the plan's account of it, 850 more if it
// has blocks of its own, the block store's, and 250 for each map and reduce, the segment between
// them.
func (r *run) heldMemory() int64 {
	const file, registered, segment = 350, 850, 250
	files := file*int64(len(r.plan.Sources())) + registered*int64(r.registered)
	return 2 * (files + segment*int64(len(r.splits))*int64(r.plan.Reduces()))
}

// tailPiece is the most bytes of a piece of a block at the end of a large input.
const tailPiece = 16 << 20

// tailPieces returns the number of splits of a tail block of size bytes.
func tailPieces(size int64) int64 { return (size + tailPiece - 1) / tailPiece }

// splitTail cuts each of the last n blocks into pieces splits, so that the maps that run last are
// short and a slot with nothing left waits a quarter as long for the others: in WordCount
// of 1 GiB on two slots some 30 ms instead of 30 to 250.
func splitTail(blocks []cluster.Block, n int, pieces int64) []cluster.Block {
	n = min(n, len(blocks))
	list := blocks[: len(blocks)-n : len(blocks)-n]
	for _, b := range blocks[len(blocks)-n:] {
		from := b.Offset
		for i := range pieces {
			to := b.Offset + b.Length*(i+1)/pieces
			if to > from {
				list = append(list, cluster.Block{Offset: from, Length: to - from, Hosts: b.Hosts})
			}
			from = to
		}
	}
	return list
}
