package segment

import (
	"encoding/binary"
	"fmt"

	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/compress/s2"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// A run in a file is a sequence of blocks. A block is a header of 16 bytes, all little-endian - raw
// size, packed size, checksum - and the packed bytes: records, s2-compressed. A record is [ordinal]
// key length, value length (uvarints), key, value. A record does not cross blocks, unless it is
// larger than a block: then it has as many blocks of its own as it needs. Blocks are small, so that
// merging a hundred runs still copies from the cache, whatever the size of records. The checksum
// covers the packed bytes, both sizes, the spill, the section, and the block's offset there, so
// that a block left from an earlier spill in the same extent is detected.
const (
	blockSize   = 56 << 10
	blockHeader = 16
	maxHead     = 3 * binary.MaxVarintLen64
)

// SpillWriter writes a spill, one sorted run per partition, of records that its caller has sorted.
// [OfSpills] makes segments of it.
type SpillWriter struct {
	res    Resources
	spill  *Spill
	x      section // of the current run, so far
	raw    []byte
	packed []byte
	slab   memory.Slab
}

// checksum returns the checksum of a block at offset at of the section with this seed. The header
// has its sizes.
func checksum(header, packed []byte, seed uint64, at int64) uint64 {
	var place [24]byte
	copy(place[:8], header)
	binary.LittleEndian.PutUint64(place[8:], seed)
	binary.LittleEndian.PutUint64(place[16:], uint64(at))
	return xxhash.Sum64(packed) ^ xxhash.Sum64(place[:])
}

// NewSpillWriter returns a SpillWriter for a new spill. The caller must call Close.
func NewSpillWriter(r Resources, partitions int) (*SpillWriter, error) {
	f, err := r.Files.NewSpill()
	if err != nil {
		return nil, err
	}
	f.sections = make([]section, 0, partitions)
	b := &SpillWriter{res: r, spill: f, x: section{seed: f.seed()}}
	b.slab = r.charged(blockSize + blockHeader + s2.MaxEncodedLen(blockSize))
	b.raw, b.packed = b.slab.Bytes[:0:blockSize], b.slab.Bytes[blockSize:]
	return b, nil
}

// Add writes the next record of the current partition; keys must not descend.
func (b *SpillWriter) Add(key, value []byte) error { return b.record(0, key, value) }

// EndPartition ends the current partition's run; Add then writes to the next partition.
func (b *SpillWriter) EndPartition() error {
	err := b.flush()
	at := b.spill.size
	b.x.size = at - b.x.off
	b.spill.sections = append(b.spill.sections, b.x)
	b.x = section{off: at, seed: b.spill.seed()}
	return err
}

// Spill returns the spill, which the caller must release, and adds it to the Spill fields of stats.
func (b *SpillWriter) Spill(stats *Stats) *Spill {
	stats.Spills++
	for _, x := range b.spill.sections {
		stats.SpilledRecords += x.records
		stats.SpilledBytes += x.bytes
		stats.FileBytes += x.size
	}
	b.spill.refs.Add(1)
	return b.spill
}

// Close frees the writer's buffers, and the spill unless the caller of Spill holds it.
func (b *SpillWriter) Close() {
	b.res.free(&b.slab)
	b.spill.Release()
}

func (b *SpillWriter) record(ordinal uint32, key, value []byte) error {
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

func (b *SpillWriter) head(ordinal uint32, key, value uint64) {
	if b.spill.ordinals {
		b.raw = binary.AppendUvarint(b.raw, uint64(ordinal))
	}
	b.raw = binary.AppendUvarint(b.raw, key)
	b.raw = binary.AppendUvarint(b.raw, value)
}

// large writes a record that is larger than a block, in blocks of its own.
func (b *SpillWriter) large(ordinal uint32, key, value []byte) error {
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
func (b *SpillWriter) part(p []byte) error {
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
func (b *SpillWriter) copyLarge(s *source) error {
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
func (b *SpillWriter) flush() error {
	if len(b.raw) == 0 {
		return nil
	}
	b.res.Budget.Liveness().Sign()
	out := b.packed
	p := s2.Encode(out[blockHeader:], b.raw)
	binary.LittleEndian.PutUint32(out, uint32(len(b.raw)))
	binary.LittleEndian.PutUint32(out[4:], uint32(len(p)))
	binary.LittleEndian.PutUint64(out[8:], checksum(out, p, b.x.seed, b.spill.size-b.x.off))
	if _, err := b.spill.Write(out[:blockHeader+len(p)]); err != nil {
		return fmt.Errorf("segment: writing a spill: %w", err)
	}
	b.x.raw, b.x.packed = max(b.x.raw, uint32(len(b.raw))), max(b.x.packed, uint32(len(p)))
	b.raw = b.raw[:0]
	return nil
}
