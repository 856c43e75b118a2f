package segment

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/compress/s2"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// A run in a file is a sequence of blocks. A block is a header of 16 bytes, all little-endian - raw
// size, packed size, checksum - and the packed bytes: records, s2-compressed. A record is [ordinal]
// key length, value length (uvarints), key, value. A record does not cross blocks, unless it is
// larger than a block: then it has as many blocks of its own as it needs. Blocks are small, so that
// merging a hundred runs still copies from the cache, whatever the size of records. The checksum
// covers the packed bytes, both sizes, the spill, and the offset for which the block was written,
// so that a block left from an earlier spill in the same extent is detected.
const (
	blockSize   = 56 << 10
	blockHeader = 16
	maxHead     = 3 * binary.MaxVarintLen64
)

// blockWriter writes records to w as compressed blocks with checksums.
type blockWriter struct {
	w       io.Writer
	at      int64
	raw     []byte
	packed  []byte
	slab    memory.Slab
	x       section // of the current run, so far
	pool    *memory.Pool
	budget  *memory.Budget
	charged int64
}

// checksum returns the checksum of a block at offset at of spill id, with the sizes in its header.
func checksum(header, packed []byte, id uint64, at int64) uint64 {
	var place [24]byte
	copy(place[:8], header)
	binary.LittleEndian.PutUint64(place[8:], id)
	binary.LittleEndian.PutUint64(place[16:], uint64(at))
	return xxhash.Sum64(packed) ^ xxhash.Sum64(place[:])
}

func newBlockWriter(w io.Writer, pool *memory.Pool, budget *memory.Budget) *blockWriter {
	packed := s2.MaxEncodedLen(blockSize) + blockHeader
	b := &blockWriter{w: w, slab: pool.Get(blockSize + packed), pool: pool, budget: budget}
	b.raw, b.packed = b.slab.Bytes[:0:blockSize], b.slab.Bytes[blockSize:]
	b.charged = int64(len(b.slab.Bytes))
	budget.Acquire(b.charged)
	return b
}

func (b *blockWriter) record(ordinal uint32, key, value []byte) error {
	b.x.records++
	b.x.bytes += int64(len(key) + len(value))
	if n := len(key) + len(value) + maxHead; len(b.raw)+n > cap(b.raw) {
		if err := b.flush(); err != nil {
			return err
		}
		if n > cap(b.raw) {
			return b.large(ordinal, key, value)
		}
	}
	b.head(ordinal, uint64(len(key)), uint64(len(value)))
	b.raw = append(append(b.raw, key...), value...)
	return nil
}

func (b *blockWriter) head(ordinal uint32, key, value uint64) {
	if b.x.ordinals {
		b.raw = binary.AppendUvarint(b.raw, uint64(ordinal))
	}
	b.raw = binary.AppendUvarint(b.raw, key)
	b.raw = binary.AppendUvarint(b.raw, value)
}

// large writes a record that is larger than a block, in blocks of its own.
func (b *blockWriter) large(ordinal uint32, key, value []byte) error {
	b.head(ordinal, uint64(len(key)), uint64(len(value)))
	if err := b.part(key); err != nil {
		return err
	}
	if err := b.part(value); err != nil {
		return err
	}
	return b.flush()
}

// part writes p, a part of a large record, and begins further blocks as needed.
func (b *blockWriter) part(p []byte) error {
	for len(p) > 0 {
		n := min(len(p), cap(b.raw)-len(b.raw))
		b.raw = append(b.raw, p[:n]...)
		p = p[n:]
		if len(b.raw) == cap(b.raw) {
			if err := b.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// copyLarge writes the next record of s, which is larger than a block, while it reads it.
func (b *blockWriter) copyLarge(s *source) error {
	if err := b.flush(); err != nil {
		return err
	}
	f := s.file
	b.x.records++
	b.x.bytes += int64(f.keyLen + f.valueLen)
	b.head(s.ordinal, f.keyLen, f.valueLen)
	for p := f.part; len(p) > 0; p = f.more() {
		if err := b.part(p); err != nil {
			return err
		}
	}
	return b.flush()
}

// flush compresses and writes the records collected so far as one block, if there are any.
func (b *blockWriter) flush() error {
	if len(b.raw) == 0 {
		return nil
	}
	b.budget.Liveness().Sign()
	out := b.packed
	p := s2.Encode(out[blockHeader:], b.raw)
	binary.LittleEndian.PutUint32(out, uint32(len(b.raw)))
	binary.LittleEndian.PutUint32(out[4:], uint32(len(p)))
	binary.LittleEndian.PutUint64(out[8:], checksum(out, p, b.x.id, b.at))
	if _, err := b.w.Write(out[:blockHeader+len(p)]); err != nil {
		return fmt.Errorf("segment: writing a spill: %w", err)
	}
	b.at += int64(blockHeader + len(p))
	b.x.raw, b.x.packed = max(b.x.raw, int64(len(b.raw))), max(b.x.packed, int64(len(p)))
	b.raw = b.raw[:0]
	return nil
}

func (b *blockWriter) close() {
	b.pool.Put(b.slab)
	b.budget.Release(b.charged)
	b.slab, b.raw, b.packed, b.charged = memory.Slab{}, nil, nil, 0
}
