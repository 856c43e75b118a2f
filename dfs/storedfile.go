package dfs

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sort"
	"strings"
	"sync/atomic"
)

// StoredFile is a Source with the content of a file of an FS. A read tries the replicas of a block
// until one is good. It drops corrupt ones, which healing replaces.
type StoredFile struct {
	f      *FS
	name   string
	file   *inode
	closed atomic.Bool
}

// OpenSource opens a file of the FS as a Source, such as the input of a job.
func (f *FS) OpenSource(name string) (*StoredFile, error) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	file, err := f.ns.file("open", name)
	if err != nil {
		return nil, err
	}
	return &StoredFile{f: f, name: name, file: file}, nil
}

// Name returns the path within the FS.
func (s *StoredFile) Name() string { return s.name }

// Size returns the length in bytes.
func (s *StoredFile) Size() int64 { return s.file.size() }

// Close makes later reads of s fail; the file stays in the FS.
func (s *StoredFile) Close() error {
	s.closed.Store(true)
	return nil
}

// ReadAt implements io.ReaderAt.
func (s *StoredFile) ReadAt(p []byte, off int64) (int, error) {
	if s.closed.Load() {
		return 0, fmt.Errorf("%w: %s", ErrClosed, s.name)
	}
	return s.f.readAt(s.name, s.file, p, off)
}

// View implements Source. It copies only if the bytes are in more than one block.
func (s *StoredFile) View(off int64, n int) (b []byte, release func(), err error) {
	if s.closed.Load() {
		return nil, nil, fmt.Errorf("%w: %s", ErrClosed, s.name)
	}
	if err := checkRange(s.name, s.Size(), off, n); err != nil {
		return nil, nil, err
	}
	if n == 0 {
		return nil, func() {}, nil
	}
	i := s.file.blockAt(off)
	within := off - s.file.offsets[i]
	if within+int64(n) <= s.file.blocks[i].length {
		err = s.f.fromReplica(s.file.blocks[i].id, func(p *payload) (err error) {
			b, release, err = p.view(within, n)
			return err
		})
		if err != nil {
			err = &fs.PathError{Op: "read", Path: s.name, Err: err}
		}
		return b, release, err
	}
	b = make([]byte, n)
	if _, err := s.f.readAt(s.name, s.file, b, off); err != nil {
		return nil, nil, err
	}
	return b, func() {}, nil
}

// blockAt returns the index of the block with the byte at off.
func (i *inode) blockAt(off int64) int {
	return sort.Search(len(i.blocks), func(k int) bool { return i.offsets[k+1] > off })
}

// readAt reads bytes of a file, from as many blocks as they are in. It needs no lock, since the
// list of a file's blocks never changes.
func (f *FS) readAt(name string, file *inode, p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, &fs.PathError{Op: "read", Path: name, Err: fs.ErrInvalid}
	}
	read := 0
	for read < len(p) {
		at := off + int64(read)
		if at >= file.size() {
			return read, io.EOF
		}
		i := file.blockAt(at)
		within := at - file.offsets[i]
		n := min(int64(len(p)-read), file.blocks[i].length-within)
		to := p[read : read+int(n)]
		if err := f.fromReplica(file.blocks[i].id, func(p *payload) error { return p.read(to, within) }); err != nil {
			return read, &fs.PathError{Op: "read", Path: name, Err: err}
		}
		read += int(n)
	}
	return read, nil
}

// fromReplica calls read with one replica of a block after the other until read succeeds. Bytes of
// a Source are on this machine, so they need no live node.
func (f *FS) fromReplica(id BlockID, read func(p *payload) error) error {
	var local *payload
	var nodes []NodeID // live nodes that reported a replica
	f.mu.RLock()
	if b := f.ns.blocks[id]; b != nil {
		local, nodes = b.local, ids(b.replicas)
	}
	f.mu.RUnlock()
	if local != nil {
		return read(local)
	}
	var faults []error
	for _, node := range nodes {
		p := f.stores[node].get(id)
		if p == nil {
			continue // deleted since it was reported
		}
		err := read(p)
		if err == nil {
			return nil
		}
		faults = append(faults, fmt.Errorf("on %v: %w", node, err))
		if errors.Is(err, ErrCorrupt) && f.stores[node].drop(id) {
			f.announce(node) // so that healing makes a good one
		}
	}
	return &UnreadableError{Block: id, Faults: faults}
}

// UnreadableError is the error for a block without a good replica on a live node. It wraps
// ErrNoReplica and the error of each replica.
type UnreadableError struct {
	Block  BlockID
	Faults []error // one for each node that should have it, with the node's name; empty if no live node should
}

// Error names the block and the nodes in one line.
func (e *UnreadableError) Error() string {
	if len(e.Faults) == 0 {
		return fmt.Sprintf("%v: %v: no live node holds it", ErrNoReplica, e.Block)
	}
	list := make([]string, len(e.Faults))
	for i, fault := range e.Faults {
		list[i] = fault.Error()
	}
	return fmt.Sprintf("%v: %v: %s", ErrNoReplica, e.Block, strings.Join(list, "; "))
}

// Unwrap returns what the error wraps.
func (e *UnreadableError) Unwrap() []error { return append([]error{ErrNoReplica}, e.Faults...) }
