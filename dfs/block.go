package dfs

import (
	"fmt"
	"slices"

	"github.com/cespare/xxhash/v2"
)

// DefaultBlockSize is the length in bytes of a block unless a Config or a caller says
// otherwise.
const DefaultBlockSize = 64 << 20

// minBlockSize is the least block that BlockSizeFor cuts: below it a task's own cost
// shows beside its work.
const minBlockSize = 256 << 10

// blocksPerSlot is how many blocks BlockSizeFor aims at for each slot, so that slots
// that finish early find more work.
const blocksPerSlot = 4

// sumChunk is the number of bytes under one checksum: a View checks the chunks it
// touches, not the block.
const sumChunk = 64 << 10

// MaxBlocks is the most blocks of a registered source: 64 TiB in blocks of 64 MiB.
const MaxBlocks = 1 << 20

// NodeID names a node of the cluster.
type NodeID string

// String returns the name.
func (n NodeID) String() string { return string(n) }

// BlockID identifies a block. IDs count up from 1 and are never used again.
type BlockID uint64

// String returns the ID as blk_7.
func (b BlockID) String() string { return fmt.Sprintf("blk_%d", uint64(b)) }

// Block is one extent of a file and the live nodes that reported a replica of it, in
// the order of the cluster's nodes.
type Block struct {
	ID     BlockID  `json:"block"`
	Offset int64    `json:"offset"` // of the first byte, in the file
	Length int64    `json:"length"`
	Nodes  []NodeID `json:"nodes"` // owned by the caller
}

// BlockSizeFor returns the block size for an input of total bytes on a cluster of
// slots map slots: limit (0: [DefaultBlockSize]), or less so that every slot has about
// four blocks, but never less than 256 KiB. A limit below that is kept as it is.
func BlockSizeFor(total int64, slots int, limit int64) int64 {
	if limit <= 0 {
		limit = DefaultBlockSize
	}
	want := total / (int64(max(slots, 1)) * blocksPerSlot)
	want = (want + minBlockSize - 1) / minBlockSize * minBlockSize
	return min(max(want, minBlockSize), limit)
}

// payload is what one replica holds: bytes with their checksums, or an extent of a
// registered local file. Replicas share it; it never changes.
type payload struct {
	data []byte
	sums []uint64

	src Source
	off int64
	n   int64
}

// newPayload takes ownership of data.
func newPayload(data []byte) *payload {
	p := &payload{data: data, n: int64(len(data))}
	for chunk := range slices.Chunk(data, sumChunk) {
		p.sums = append(p.sums, xxhash.Sum64(chunk))
	}
	return p
}

// view returns the bytes [off, off+n) of the replica after checking them.
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
		if xxhash.Sum64(chunk) != p.sums[c] {
			return nil, nil, ErrCorrupt
		}
	}
	return p.data[off:end:end], func() {}, nil
}

// read copies the bytes from off on into b. Unlike those of a view, they cannot fault.
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
