package dfs

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sort"
	"strings"
)

// storedFile is an io.ReaderAt of a file of an FS. A read tries the replicas of a block until one
// is good. It needs no lock for the list of blocks, which never changes.
type storedFile struct {
	f    *FS
	name string
	file *inode
}

// ReadAt implements io.ReaderAt.
func (s *storedFile) ReadAt(p []byte, off int64) (read int, err error) {
	for file := s.file; read < len(p); {
		at := off + int64(read)
		if at >= file.size() {
			return read, io.EOF
		}
		i := sort.Search(len(file.blocks), func(k int) bool { return file.offsets[k+1] > at })
		within := at - file.offsets[i]
		n := min(int64(len(p)-read), file.blocks[i].length-within)
		to := p[read : read+int(n)]
		if err := s.f.fromReplica(file.blocks[i].id, func(e *extent) error { return e.read(to, within) }); err != nil {
			return read, &fs.PathError{Op: "read", Path: s.name, Err: err}
		}
		read += int(n)
	}
	return read, nil
}

// fromReplica calls read with one replica of a block after the other until read succeeds. It drops
// corrupt replicas, which healing replaces. Bytes of a Source are on this machine, so they need no
// live node.
func (f *FS) fromReplica(id BlockID, read func(*extent) error) error {
	type replica struct {
		on    *node
		bytes *extent
	}
	var list []replica
	f.mu.RLock()
	b := f.ns.blocks[id]
	if b != nil {
		for _, d := range b.replicas {
			list = append(list, replica{d, d.disk[id]})
		}
	}
	f.mu.RUnlock()
	if b != nil && b.local != nil {
		return read(b.local)
	}
	var faults []error
	for _, r := range list {
		err := read(r.bytes)
		if err == nil {
			return nil
		}
		faults = append(faults, fmt.Errorf("on %v: %w", r.on.id, err))
		if errors.Is(err, ErrCorrupt) {
			f.drop(b, r.on, r.bytes)
		}
	}
	return &UnreadableError{Block: id, Faults: faults}
}

// drop deletes a corrupt replica, unless that has been done.
func (f *FS) drop(b *block, d *node, corrupt *extent) {
	f.mu.Lock()
	found := d.disk[b.id] == corrupt
	if found {
		delete(d.disk, b.id)
		b.replicas = f.ns.without(d, b, b.replicas)
	}
	f.mu.Unlock()
	if found && f.cfg.Degraded != nil {
		f.cfg.Degraded()
	}
}

// UnreadableError is the error for a block without a good replica on a live node. It wraps
// ErrNoReplica and the error of each replica.
type UnreadableError struct {
	Block  BlockID
	Faults []error // one for each node that should have it, with the node's name; empty if no live node should
}

// Error names the block and the nodes in one line.
func (e *UnreadableError) Error() string {
	text := "no live node holds it"
	if len(e.Faults) > 0 {
		text = strings.ReplaceAll(errors.Join(e.Faults...).Error(), "\n", "; ")
	}
	return fmt.Sprintf("%v: %v: %s", ErrNoReplica, e.Block, text)
}

// Unwrap returns what the error wraps.
func (e *UnreadableError) Unwrap() []error { return append([]error{ErrNoReplica}, e.Faults...) }
