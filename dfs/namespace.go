package dfs

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"time"
)

// namespace is the state of a NameNode: the tree of files, their blocks, the nodes, and which nodes
// reported a replica of each block. It has no locks, clocks or I/O: FS locks it.
type namespace struct {
	seed        uint64
	replication int
	nodes       []*node // in the order of the configuration
	byID        map[NodeID]*node
	standsFor   map[string]*node // by machine with bytes of a Located: the node that represents it
	root        *inode
	blocks      map[BlockID]*block
	last        BlockID
	degraded    bool // some block may have too few replicas
}

type node struct {
	id      NodeID
	rack    string
	index   int
	alive   bool
	load    int64 // bytes of blocks placed here, except lost ones
	firsts  int64 // bytes ever placed here as first replicas
	holds   map[BlockID]bool
	missing map[BlockID]bool // expected but missing in the last full report
}

// block is one extent of a file. It is in the holds of exactly the nodes in replicas. placed lists
// the nodes to which copies were sent, and which have not reported them yet.
type block struct {
	id       BlockID
	length   int64
	replicas []*node  // reported, in the order of nodes
	placed   []*node  // sent, not yet reported
	local    *payload // bytes of a Source, which every node can read; nil for written bytes
	fresh    *payload // the bytes, until publish has named the file
}

// bare reports whether no node has the block or will get it, and it needs one.
func (b *block) bare() bool { return len(b.placed)+len(b.replicas) == 0 && b.local == nil }

// inode is a directory (children is not nil) or a file.
type inode struct {
	name     string
	modified time.Time
	children map[string]*inode
	blocks   []*block
	offsets  []int64 // offset of each block, then the file's size
}

func (i *inode) size() int64 {
	if len(i.offsets) == 0 { // a directory
		return 0
	}
	return i.offsets[len(i.offsets)-1]
}

func newNamespace(cfg Config) *namespace {
	ns := &namespace{
		seed:        cfg.Seed,
		replication: cfg.Replication,
		byID:        map[NodeID]*node{}, standsFor: map[string]*node{},
		root:   &inode{name: ".", children: map[string]*inode{}},
		blocks: map[BlockID]*block{},
	}
	for i, n := range cfg.Nodes {
		d := &node{id: n.ID, rack: n.Rack, index: i, alive: true, holds: map[BlockID]bool{}}
		ns.nodes = append(ns.nodes, d)
		ns.byID[n.ID] = d
	}
	return ns
}

// find returns the inode at name; if there is none, the error is fs.ErrNotExist.
func (ns *namespace) find(name string) (*inode, error) {
	at := ns.root
	if name == "." {
		return at, nil
	}
	for part := range strings.SplitSeq(name, "/") {
		next := at.children[part]
		if next == nil {
			return nil, fs.ErrNotExist
		}
		at = next
	}
	return at, nil
}

// file returns the file at name, or an error of op.
func (ns *namespace) file(op, name string) (*inode, error) {
	file, err := ns.find(name)
	if err == nil && file.children != nil {
		err = errors.New("is a directory")
	}
	if err != nil {
		return nil, &fs.PathError{Op: op, Path: name, Err: err}
	}
	return file, nil
}

// insert adds f to the tree at name, which must be free, and creates missing directories.
func (ns *namespace) insert(name string, f *inode, now time.Time) error {
	if !fs.ValidPath(name) || name == "." {
		return fs.ErrInvalid
	}
	dir, base := path.Split(name)
	at := ns.root
	if dir != "" {
		for part := range strings.SplitSeq(strings.TrimSuffix(dir, "/"), "/") {
			if at.children == nil {
				return fmt.Errorf("%s: %w: a file is in the way", name, fs.ErrExist)
			}
			next := at.children[part]
			if next == nil {
				next = &inode{name: part, modified: now, children: map[string]*inode{}}
				at.children[part] = next
				at.modified = now
			}
			at = next
		}
	}
	if at.children == nil || at.children[base] != nil {
		return fs.ErrExist
	}
	f.name = base
	at.children[base] = f
	at.modified = now
	return nil
}

// detach removes name and everything below it from the tree, and returns it.
func (ns *namespace) detach(name string, now time.Time) (*inode, error) {
	dir, base := path.Split(name)
	parent, err := ns.find(path.Clean(dir))
	if err != nil {
		return nil, err
	}
	f := parent.children[base]
	if f == nil {
		return nil, fs.ErrNotExist
	}
	delete(parent.children, base)
	parent.modified = now
	return f, nil
}

// free appends the IDs of all blocks of f and below it to freed, by node.
func (ns *namespace) free(f *inode, freed map[*node][]BlockID) {
	for _, name := range slices.Sorted(maps.Keys(f.children)) {
		ns.free(f.children[name], freed)
	}
	for _, b := range f.blocks {
		ns.discard(b, freed)
	}
}

// discard removes b, and appends its ID to freed[d] for each node d that has or awaits a replica.
func (ns *namespace) discard(b *block, freed map[*node][]BlockID) {
	for _, d := range slices.Concat(b.replicas, b.placed) {
		d.load -= b.length
		delete(d.holds, b.id)
		freed[d] = append(freed[d], b.id)
	}
	delete(ns.blocks, b.id)
}

// newBlock creates a block of p and chooses its nodes, if any is alive.
func (ns *namespace) newBlock(hosts []string, length int64, p *payload) *block {
	ns.last++
	b := &block{id: ns.last, length: length, fresh: p}
	if p.src != nil {
		b.local = p
	}
	ns.blocks[b.id] = b
	ns.choose(b, hosts)
	return b
}

// choose sets b.placed to nodes that represent hosts, then others, and returns it.
func (ns *namespace) choose(b *block, hosts []string) []*node {
	near := ns.near(hosts)
	b.placed = append(near, ns.place(b.id, ns.replication-len(near), near)...)
	for i, d := range b.placed {
		if i == 0 {
			d.firsts += b.length
		}
		d.load += b.length
	}
	if len(b.placed) < ns.replication {
		ns.degraded = true
	}
	return b.placed
}
