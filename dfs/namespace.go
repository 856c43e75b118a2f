package dfs

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
)

// namespace is the state of a NameNode: the tree of files, their blocks, and the nodes with their
// replicas. It has no locks, clocks or I/O: FS locks it.
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

// node is a node with its disk. A lost node keeps its disk, unless it was wiped, but its replicas
// do not count.
type node struct {
	id     NodeID
	rack   string
	index  int
	alive  bool
	load   int64 // bytes of replicas that count, and of ordered copies
	firsts int64 // bytes ever placed here as first replicas
	disk   map[BlockID]*extent
}

// block is one piece of a file.
type block struct {
	id       BlockID
	length   int64
	replicas []*node // live nodes with a replica on their disks, in the order of nodes
	ordered  []*node // nodes that are to copy it
	local    *extent // bytes of a Source, which every node can read; nil for written bytes
}

// missing returns an error if no live node has the block and it needs one.
func (b *block) missing() error {
	if len(b.replicas) == 0 && b.local == nil {
		return fmt.Errorf("%w: %v: no live node holds it", ErrNoReplica, b.id)
	}
	return nil
}

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
		d := &node{id: n.ID, rack: n.Rack, index: i, alive: true, disk: map[BlockID]*extent{}}
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

// free removes all blocks of f and below it.
func (ns *namespace) free(f *inode) {
	for _, below := range f.children {
		ns.free(below)
	}
	ns.discard(f.blocks)
}

// discard removes blocks with their replicas. A lost node deletes its own when it comes back.
func (ns *namespace) discard(blocks []*block) {
	for _, b := range blocks {
		for _, d := range slices.Concat(b.replicas, b.ordered) {
			d.load -= b.length
			delete(d.disk, b.id)
		}
		delete(ns.blocks, b.id)
	}
}

// newBlock creates a block of e with replicas on live nodes, as far as there are any: first on
// those that represent hosts.
func (ns *namespace) newBlock(hosts []string, e *extent) *block {
	ns.last++
	b := &block{id: ns.last, length: e.n}
	if !e.written {
		b.local = e
	}
	ns.blocks[b.id] = b
	near := ns.near(hosts)
	chosen := append(near, ns.place(b.id, ns.replication-len(near), near)...)
	for i, d := range chosen {
		if i == 0 {
			d.firsts += b.length
		}
		d.load += b.length
		d.disk[b.id] = e
		b.insert(d)
	}
	if len(chosen) < ns.replication {
		ns.degraded = true
	}
	return b
}

// insert adds d to the replicas of b.
func (b *block) insert(d *node) {
	at, _ := slices.BinarySearchFunc(b.replicas, d, func(x, y *node) int { return cmp.Compare(x.index, y.index) })
	b.replicas = slices.Insert(b.replicas, at, d)
}
