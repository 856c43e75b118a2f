package dfs

import (
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"time"
)

// FS is the block store. It is safe for concurrent use. Callers own what its methods return.
type FS struct {
	cfg Config

	mu sync.RWMutex
	ns *namespace
}

// New returns an empty FS on the given nodes, which are all alive.
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
	return &FS{cfg: cfg, ns: newNamespace(cfg)}, nil
}

// Replication returns the number of replicas that each block should have.
func (f *FS) Replication() int { return f.cfg.Replication }

// Register makes src readable as name without copying it. Extents of blockSize bytes (0: the FS's
// block size) become blocks with replicas on the nodes. For a [Located] source, nodes that
// represent the machines with the bytes come first. The bytes need no live node and have no
// checksums. The FS does not close src.
func (f *FS) Register(name string, src Source, blockSize int64) error {
	return f.RegisterAll([]string{name}, []Source{src}, blockSize)
}

// RegisterAll registers srcs[i] as names[i], as Register does, or none of them after an error.
func (f *FS) RegisterAll(names []string, srcs []Source, blockSize int64) error {
	fail := func(err error) error { return &fs.PathError{Op: "register", Path: names[0], Err: err} }
	if blockSize < 0 {
		return fail(fmt.Errorf("dfs: block size %d is negative", blockSize))
	}
	if blockSize == 0 {
		blockSize = f.cfg.BlockSize
	}
	for _, src := range srcs {
		if n := src.Size() / blockSize; n >= MaxBlocks {
			return fail(fmt.Errorf("dfs: %s: %d bytes are %d blocks of %d bytes, at most %d: use larger blocks",
				src.Name(), src.Size(), n, blockSize, MaxBlocks))
		}
	}
	files := make([]*inode, len(srcs))
	for i, src := range srcs {
		files[i] = &inode{offsets: []int64{0}}
		for off := int64(0); off < src.Size(); off += blockSize {
			n := min(blockSize, src.Size()-off)
			_ = f.add(files[i], HostsOf(src, off, n), &extent{src: src, off: off, n: n}) // it needs no live node
		}
	}
	return f.publish("register", names, files)
}

// add stores the next block of a file, first on nodes that represent hosts. Written bytes need a
// live node.
func (f *FS) add(file *inode, hosts []string, e *extent) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	b := f.ns.newBlock(hosts, e)
	file.blocks = append(file.blocks, b)
	file.offsets = append(file.offsets, file.size()+e.n)
	return b.missing()
}

// publish names all files or, after an error, removes them.
func (f *FS) publish(op string, names []string, files []*inode) (err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := time.Now()
	for i, file := range files {
		for _, b := range file.blocks {
			err = cmp.Or(err, b.missing())
		}
		if err == nil {
			file.modified = now
			err = f.ns.insert(names[i], file, now)
		}
		if err != nil {
			for _, name := range names[:i] {
				_, _ = f.ns.detach(name, now) // it was inserted above
			}
			for _, file := range files {
				f.ns.discard(file.blocks)
			}
			return &fs.PathError{Op: op, Path: names[i], Err: err}
		}
	}
	return nil
}

// Remove deletes a file, or a directory with its content.
func (f *FS) Remove(name string) error {
	if !fs.ValidPath(name) || name == "." {
		return &fs.PathError{Op: "remove", Path: name, Err: fs.ErrInvalid}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	file, err := f.ns.detach(name, time.Now())
	if err != nil {
		return &fs.PathError{Op: "remove", Path: name, Err: err}
	}
	f.ns.free(file)
	return nil
}

// RemoveEmpty deletes a directory that is empty. It does nothing to another one, to a file, or if
// there is none.
func (f *FS) RemoveEmpty(name string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	dir, err := f.ns.find(name)
	if err != nil || name == "." || dir.children == nil || len(dir.children) > 0 {
		return nil //nolint:nilerr // there is none
	}
	_, err = f.ns.detach(name, time.Now())
	return err
}

// Rename moves a file or a directory atomically. The new name must not exist.
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
	if err := f.ns.insert(newName, file, now); err != nil {
		parent, _ := f.ns.find(path.Dir(oldName))
		parent.children[file.name] = file
		return fail(err)
	}
	return nil
}

// Blocks returns the blocks of a file in order, each with the live nodes that have a replica.
func (f *FS) Blocks(name string) ([]Block, error) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	file, err := f.ns.file("blocks", name)
	if err != nil {
		return nil, err
	}
	blocks := make([]Block, len(file.blocks))
	for i, b := range file.blocks {
		blocks[i] = Block{ID: b.id, Offset: file.offsets[i], Length: b.length, Nodes: make([]NodeID, len(b.replicas))}
		for k, d := range b.replicas {
			blocks[i].Nodes[k] = d.id
		}
	}
	return blocks, nil
}
