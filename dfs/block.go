package dfs

import (
	"fmt"
	"hash/crc32"
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

// Block is one extent of a file. Nodes are the live nodes that reported a replica, in the order of
// the configuration.
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

// payload is the content of a replica: bytes with their checksums, or an extent of a registered
// source. All replicas of a block share it; it is immutable.
type payload struct {
	data []byte
	sums Sums

	src Source
	off int64
	n   int64
}

// newPayload returns a payload of data with checksums. The caller must not change data then.
func newPayload(data []byte) *payload {
	p := &payload{data: data, n: int64(len(data))}
	_, _ = p.sums.Write(data) // never fails
	return p
}

// view verifies the replica's bytes [off, off+n) and returns them, with their release function.
func (p *payload) view(off int64, n int) ([]byte, func(), error) {
	if p.src != nil {
		return p.src.View(p.off+off, n)
	}
	if n == 0 {
		return nil, func() {}, nil
	}
	end := off + int64(n)
	for c := off / sumChunk; c*sumChunk < end; c++ {
		chunk := p.data[c*sumChunk : min((c+1)*sumChunk, p.n)]
		if crc32.Checksum(chunk, castagnoli) != p.sums.crc(c) {
			return nil, nil, ErrCorrupt
		}
	}
	return p.data[off:end:end], func() {}, nil
}

// read copies the bytes from off on into b. It reads a mapped file directly, so it cannot fault.
func (p *payload) read(b []byte, off int64) error {
	if p.src != nil {
		n, err := p.src.ReadAt(b, p.off+off)
		if n == len(b) {
			err = nil
		}
		return err
	}
	view, release, err := p.view(off, len(b))
	if err == nil {
		copy(b, view)
		release()
	}
	return err
}
