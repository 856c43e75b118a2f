package dfs

import (
	"bytes"
	"fmt"
	"io"
)

// DefaultBlockSize is the default length of a block in bytes.
const DefaultBlockSize = 64 << 20

// minBlockSize is the smallest block that BlockSizeFor returns by itself: with smaller ones the
// cost of starting a task becomes noticeable.
const minBlockSize = 256 << 10

// blocksPerSlot is the number of blocks per slot that BlockSizeFor aims for, so that slots that
// finish early find more work.
const blocksPerSlot = 4

// sumChunk is the number of bytes per checksum: a View verifies only the chunks that it touches,
// not the whole block.
const sumChunk = 64 << 10

// MaxBlocks is the maximum number of blocks of a registered source: 64 TiB in blocks of 64 MiB.
const MaxBlocks = 1 << 20

// NodeID names a node of the cluster.
type NodeID string

// String returns the name.
func (n NodeID) String() string { return string(n) }

// BlockID identifies a block. IDs count from 1 and are never reused.
type BlockID uint64

// String returns the ID as blk_7.
func (b BlockID) String() string { return fmt.Sprintf("blk_%d", uint64(b)) }

// Block is one extent of a file. Nodes are the live nodes that have a replica, in the order of the
// configuration.
type Block struct {
	ID     BlockID  `json:"block"`
	Offset int64    `json:"offset"` // offset of its first byte in the file
	Length int64    `json:"length"`
	Nodes  []NodeID `json:"nodes"` // owned by the caller
}

// BlockSizeFor returns the block size for an input of total bytes on a cluster with the given
// number of map slots. That is limit (0: [DefaultBlockSize]), or less so that every slot has about
// four blocks, but at least 256 KiB. A limit below that is returned unchanged.
func BlockSizeFor(total int64, slots int, limit int64) int64 {
	if limit <= 0 {
		limit = DefaultBlockSize
	}
	want := total / (int64(max(slots, 1)) * blocksPerSlot)
	want = (want + minBlockSize - 1) / minBlockSize * minBlockSize
	return min(max(want, minBlockSize), limit)
}

// extent is the content of a block: n bytes at off of a Source. All replicas of a block share it;
// it is immutable.
type extent struct {
	src     Source
	off, n  int64
	written bool // src is the block's own bytes with checksums; otherwise it is registered
}

// newExtent returns an extent of written data. The caller must not change data then.
func newExtent(data []byte) *extent {
	e := &extent{n: int64(len(data)), written: true}
	sums := new(Sums)
	_, _ = sums.Write(data) // never fails
	e.src = &checked{Bytes("a replica", data), sums}
	return e
}

// read copies the bytes from off on into b.
func (e *extent) read(b []byte, off int64) error {
	n, err := e.src.ReadAt(b, e.off+off)
	if n == len(b) {
		err = nil
	}
	return err
}

// verify checks written bytes. It does not read registered ones.
func (e *extent) verify() error {
	if !e.written {
		return nil
	}
	_, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, io.NewSectionReader(e.src, 0, e.n), make([]byte, sumChunk))
	return err
}

// Damage flips one bit of a node's replica of a block, as a bad disk does, and reports whether the
// node had such a replica with bytes. It is for fault injection: the next read of the replica fails
// its checksum. Other replicas stay intact.
func (f *FS) Damage(id NodeID, b BlockID) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	d := f.ns.byID[id]
	if d == nil || d.disk[b] == nil || !d.disk[b].written {
		return false
	}
	good := d.disk[b].src.(*checked)
	data, _, _ := good.src.View(0, int(good.Size())) // bytes in memory, so there is no error
	data = bytes.Clone(data)
	data[0] ^= 1
	d.disk[b] = &extent{src: &checked{Bytes(good.Name(), data), good.sums}, n: good.Size(), written: true}
	return true
}
