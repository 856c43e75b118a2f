package actors

import (
	"errors"
	"sort"

	"github.com/tarry-mr/tarry/dfs"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
)

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
