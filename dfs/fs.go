package dfs

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"time"
)

var (
	// ErrReplication is returned by New for a configuration that asks for more
	// replicas than there are nodes.
	ErrReplication = errors.New("dfs: more replicas than nodes")

	// ErrNoReplica is returned when no live node has a good replica of a block, or
	// none is alive to take one.
	ErrNoReplica = errors.New("dfs: no live replica")

	// ErrCorrupt marks a replica whose bytes do not match their checksum. It reaches a
	// reader only when every replica is corrupt, wrapped beside ErrNoReplica.
	ErrCorrupt = errors.New("dfs: checksum mismatch")

	// ErrUnknownNode is returned for a node that the configuration does not name.
	ErrUnknownNode = errors.New("dfs: unknown node")
)

// Node is one node of the cluster and the rack it stands in.
type Node struct {
	ID   NodeID
	Rack string
}

// Config describes the cluster that an FS lives on.
type Config struct {
	// Nodes holds the blocks; at least one, with distinct IDs.
	Nodes []Node

	// Replication is the number of replicas of each block; 0 means min(3, nodes).
	Replication int

	// BlockSize is the length in bytes that written files are cut at; 0 means
	// [DefaultBlockSize].
	BlockSize int64

	// Seed decides between nodes that are equally good for a replica.
	Seed uint64

	// Announce, when set, is called after replicas came to or left a node, outside all
	// locks; the callee sees to it that Report is called with Changes of that node.
	// When nil the FS takes the changes over itself at once.
	Announce func(NodeID)
}

// Validate returns everything that is wrong with the configuration, joined.
func (c Config) Validate() error {
	var faults []error
	if len(c.Nodes) == 0 {
		faults = append(faults, errors.New("dfs: no nodes"))
	}
	seen := map[NodeID]bool{}
	for _, n := range c.Nodes {
		if n.ID == "" {
			faults = append(faults, errors.New("dfs: a node has no ID"))
		} else if seen[n.ID] {
			faults = append(faults, fmt.Errorf("dfs: node %v named twice", n.ID))
		}
		seen[n.ID] = true
	}
	if c.Replication < 0 {
		faults = append(faults, fmt.Errorf("dfs: replication %d is negative", c.Replication))
	}
	if c.Replication > len(c.Nodes) {
		faults = append(faults, fmt.Errorf("%w: replication %d, %d nodes", ErrReplication, c.Replication, len(c.Nodes)))
	}
	if c.BlockSize < 0 {
		faults = append(faults, fmt.Errorf("dfs: block size %d is negative", c.BlockSize))
	}
	return errors.Join(faults...)
}

// FS is the block store. It is safe for concurrent use; what it returns belongs to the
// caller.
type FS struct {
	cfg    Config
	stores map[NodeID]*store

	mu      sync.RWMutex
	ns      *namespace
	changed chan struct{} // closed and replaced whenever replicas change
}

// New returns an empty FS on the given nodes, all alive.
func New(cfg Config) (*FS, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	cfg.Nodes = slices.Clone(cfg.Nodes)
	if cfg.Replication == 0 {
		cfg.Replication = min(3, len(cfg.Nodes))
	}
	if cfg.BlockSize == 0 {
		cfg.BlockSize = DefaultBlockSize
	}
	f := &FS{cfg: cfg, stores: map[NodeID]*store{}, ns: newNamespace(cfg), changed: make(chan struct{})}
	for _, n := range cfg.Nodes {
		f.stores[n.ID] = newStore()
	}
	return f, nil
}

// Replication returns the number of replicas each block should have.
func (f *FS) Replication() int { return f.cfg.Replication }

// Register makes the local or in-memory file src readable as name without copying it:
// its extents of blockSize bytes (0: the FS's) become blocks with replicas placed on
// the nodes. It returns when the nodes have reported them. The bytes are covered by no
// checksum. The FS does not close src.
func (f *FS) Register(name string, src Source, blockSize int64) error {
	if blockSize < 0 {
		return &fs.PathError{Op: "register", Path: name, Err: fmt.Errorf("dfs: block size %d is negative", blockSize)}
	}
	if blockSize == 0 {
		blockSize = f.cfg.BlockSize
	}
	file := &inode{offsets: []int64{0}, src: src}
	for off := int64(0); off < src.Size(); off += blockSize {
		n := min(blockSize, src.Size()-off)
		b, err := f.store("", n, &payload{src: src, off: off, n: n})
		if err != nil {
			f.abandon(file.blocks)
			return &fs.PathError{Op: "register", Path: name, Err: err}
		}
		file.blocks = append(file.blocks, b)
		file.offsets = append(file.offsets, off+n)
	}
	return f.publish("register", name, file)
}

// Remove deletes a file, or a directory with all it holds.
func (f *FS) Remove(name string) error {
	if !fs.ValidPath(name) || name == "." {
		return &fs.PathError{Op: "remove", Path: name, Err: fs.ErrInvalid}
	}
	f.mu.Lock()
	freed, err := f.ns.remove(name, time.Now())
	f.mu.Unlock()
	if err != nil {
		return &fs.PathError{Op: "remove", Path: name, Err: err}
	}
	f.forget(freed)
	return nil
}

// Rename moves a file or a directory at once. The new name must not exist.
func (f *FS) Rename(oldName, newName string) error {
	fail := func(err error) error { return &fs.PathError{Op: "rename", Path: oldName + " " + newName, Err: err} }
	if !fs.ValidPath(oldName) || !fs.ValidPath(newName) || oldName == "." || newName == "." ||
		strings.HasPrefix(newName+"/", oldName+"/") {
		return fail(fs.ErrInvalid)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, err := f.ns.find(newName); err == nil {
		return fail(fs.ErrExist)
	}
	now := time.Now()
	file, err := f.ns.detach(oldName, now)
	if err != nil {
		return fail(err)
	}
	was := file.name
	if err := f.ns.insert(newName, file, now); err != nil {
		file.name = was
		parent, _ := f.ns.find(path.Dir(oldName))
		parent.children[was] = file
		return fail(err)
	}
	return nil
}

// Blocks returns the blocks of a file with the live nodes that reported each.
func (f *FS) Blocks(name string) ([]Block, error) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	file, err := f.ns.find(name)
	if err == nil && file.children != nil {
		err = errors.New("is a directory")
	}
	if err != nil {
		return nil, &fs.PathError{Op: "blocks", Path: name, Err: err}
	}
	blocks := make([]Block, len(file.blocks))
	for i, b := range file.blocks {
		blocks[i] = Block{ID: b.id, Offset: file.offsets[i], Length: b.length, Nodes: ids(b.replicas)}
	}
	return blocks, nil
}

// store makes a block of p and hands it to the nodes chosen for it.
func (f *FS) store(writer NodeID, length int64, p *payload) (*block, error) {
	f.mu.Lock()
	b, err := f.ns.newBlock(writer, length)
	var nodes []NodeID
	if err == nil {
		nodes = ids(b.placed)
	}
	f.mu.Unlock()
	if err != nil {
		return nil, err
	}
	for _, id := range nodes {
		f.stores[id].put(b.id, p)
	}
	return b, nil
}

// publish names a file once every replica of its blocks is reported or given up.
func (f *FS) publish(op, name string, file *inode) error {
	err := f.await(file.blocks)
	if err == nil && (!fs.ValidPath(name) || name == ".") {
		err = fs.ErrInvalid
	}
	if err == nil {
		f.mu.Lock()
		file.modified = time.Now()
		err = f.ns.insert(name, file, file.modified)
		f.mu.Unlock()
	}
	if err != nil {
		f.abandon(file.blocks)
		return &fs.PathError{Op: op, Path: name, Err: err}
	}
	return nil
}

// await announces new replicas of blocks and waits until none is outstanding.
func (f *FS) await(blocks []*block) error {
	for _, id := range f.outstanding(blocks) {
		f.announce(id)
	}
	for {
		f.mu.RLock()
		changed, waiting := f.changed, false
		for _, b := range blocks {
			waiting = waiting || len(b.placed) > 0
			if len(b.placed)+len(b.replicas) == 0 {
				f.mu.RUnlock()
				return fmt.Errorf("%w: %v", ErrNoReplica, b.id)
			}
		}
		f.mu.RUnlock()
		if !waiting {
			return nil
		}
		<-changed
	}
}

// outstanding lists the nodes that have yet to report a replica of blocks.
func (f *FS) outstanding(blocks []*block) []NodeID {
	f.mu.RLock()
	defer f.mu.RUnlock()
	seen := map[*node]bool{}
	for _, b := range blocks {
		for _, d := range b.placed {
			seen[d] = true
		}
	}
	var nodes []NodeID
	for _, d := range f.ns.nodes {
		if seen[d] {
			nodes = append(nodes, d.id)
		}
	}
	return nodes
}

// abandon deletes blocks that no file will hold.
func (f *FS) abandon(blocks []*block) {
	freed := map[*node][]BlockID{}
	f.mu.Lock()
	for _, b := range blocks {
		f.ns.discard(b, freed)
	}
	f.mu.Unlock()
	f.forget(freed)
}

func (f *FS) forget(freed map[*node][]BlockID) {
	for d, blocks := range freed {
		f.stores[d.id].forget(blocks)
	}
}

func ids(nodes []*node) []NodeID {
	out := make([]NodeID, len(nodes))
	for i, d := range nodes {
		out[i] = d.id
	}
	return out
}
