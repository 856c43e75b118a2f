package segment

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/s2"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// blockReader reads the records of one section of a spill. A record is valid until the next call.
// Of a record larger than a block it returns the start of the key; then left is not 0, and more
// returns the bytes after part.
type blockReader struct {
	r        io.ReaderAt
	x        section // what is left of it
	at       int64   // bytes of it read so far
	ordinals bool
	seen     int64
	rest     []byte // rest of the current block
	slab     memory.Slab
	raw      []byte
	packed   []byte
	header   [blockHeader]byte // of the next block, read together with the current one
	ahead    bool              // header is valid
	res      Resources
	err      error

	// State of the last returned record, if it is larger than a block: its sizes, the bytes in
	// memory and the number of bytes in later blocks. left is 0 for other records.
	keyLen, valueLen uint64
	part             []byte
	left             uint64
}

// blockBytes returns the sizes of a reader's two buffers: for the section's largest block unpacked,
// and for it packed with the next header.
func blockBytes(x *section) (raw, packed int) {
	return int(x.raw), int(x.packed) + blockHeader
}

// readerBytes returns the bytes that a blockReader of section x charges.
func readerBytes(x *section) int64 {
	raw, packed := blockBytes(x)
	return int64(memory.SlabSize(raw + packed))
}

func newBlockReader(r io.ReaderAt, x section, ordinals bool, res Resources) *blockReader {
	raw, packed := blockBytes(&x)
	b := &blockReader{r: r, x: x, ordinals: ordinals, res: res, slab: res.charged(raw + packed)}
	b.raw, b.packed = b.slab.Bytes[:raw], b.slab.Bytes[raw:]
	return b
}

func (b *blockReader) next() (ordinal uint32, key, value []byte, ok bool) {
	if len(b.rest) == 0 && !b.fill() {
		return 0, nil, nil, false
	}
	p := b.rest
	if b.ordinals {
		o, n := binary.Uvarint(p)
		if n <= 0 {
			return b.bad("a record's ordinal is damaged")
		}
		ordinal, p = uint32(o), p[n:]
	}
	k, n := binary.Uvarint(p)
	v, m := binary.Uvarint(p[max(n, 0):])
	if n <= 0 || m <= 0 {
		return b.bad("a record's sizes are damaged")
	}
	if k > uint64(len(p)) || v > uint64(len(p)) || uint64(n+m)+k+v > uint64(len(p)) {
		return b.large(ordinal, k, v, p[n+m:])
	}
	p = p[n+m:]
	b.rest = p[k+v:]
	b.seen++
	return ordinal, p[:k:k], p[k : k+v : k+v], true
}

// large is next for a record that continues in other blocks; k and v are its sizes.
func (b *blockReader) large(ordinal uint32, k, v uint64, part []byte) (uint32, []byte, []byte, bool) {
	if total := uint64(b.x.bytes); k > total || v > total || k+v > total || k+v <= uint64(len(part)) || len(part) == 0 {
		return b.bad("a record exceeds its run")
	}
	b.keyLen, b.valueLen, b.part, b.left = k, v, part, k+v-uint64(len(part))
	b.rest = nil
	b.seen++
	return ordinal, part[:min(k, uint64(len(part)))], nil, true
}

// more returns the next bytes of a large record, or nil at its end or after an error.
func (b *blockReader) more() []byte {
	if b.left == 0 {
		return nil
	}
	if !b.fill() {
		if b.err == nil {
			b.bad("a record is cut short")
		}
		return nil
	}
	if uint64(len(b.rest)) > b.left {
		b.bad("a record's blocks hold more than it")
		return nil
	}
	b.part, b.rest = b.rest, nil
	b.left -= uint64(len(b.part))
	return b.part
}

func (b *blockReader) bad(what string) (ordinal uint32, key, value []byte, ok bool) {
	if b.err == nil {
		b.err = fmt.Errorf("segment: %s at offset %d: %w", what, b.x.off, ErrCorrupt)
	}
	b.rest, b.x.size, b.left = nil, 0, 0
	return 0, nil, nil, false
}

// fill reads the next block; it returns false at the end of the section or on an error.
func (b *blockReader) fill() bool {
	if b.err != nil {
		return false
	}
	b.res.Budget.Liveness().Sign()
	if b.x.size == 0 {
		if b.left == 0 && b.seen != b.x.records {
			b.bad(fmt.Sprintf("a run has %d records instead of %d", b.seen, b.x.records))
		}
		return false
	}
	h := b.header
	if !b.ahead && !b.read(h[:]) {
		return false
	}
	raw, packed := int64(binary.LittleEndian.Uint32(h[:])), int64(binary.LittleEndian.Uint32(h[4:]))
	if packed > min(b.x.size, int64(b.x.packed)) || raw == 0 || raw > int64(b.x.raw) {
		b.bad("a block header is damaged")
		return false
	}
	at := b.at - blockHeader
	b.ahead = packed+blockHeader <= b.x.size
	p := b.packed[:packed+blockHeader]
	if !b.ahead {
		p = p[:packed]
	}
	if !b.read(p) {
		return false
	}
	copy(b.header[:], p[packed:])
	p = p[:packed]
	if checksum(h[:], p, b.x.seed, at) != binary.LittleEndian.Uint64(h[8:]) {
		b.bad("a block has a wrong checksum")
		return false
	}
	if n, err := s2.DecodedLen(p); err != nil || int64(n) != raw {
		b.bad("a block has a wrong size")
		return false
	}
	out, err := s2.Decode(b.raw[:raw], p)
	if err != nil {
		b.bad("a block does not decompress")
		return false
	}
	b.rest = out
	return true
}

// read sets p to the section's next bytes.
func (b *blockReader) read(p []byte) bool {
	if int64(len(p)) > b.x.size {
		b.bad("a block is cut short")
		return false
	}
	if n, err := b.r.ReadAt(p, b.x.off); n < len(p) {
		if errors.Is(err, io.EOF) {
			b.bad("a spill file is cut short")
		} else {
			b.err = fmt.Errorf("segment: reading a spill: %w: %w", ErrCorrupt, err)
		}
		return false
	}
	b.at += int64(len(p))
	b.x.off += int64(len(p))
	b.x.size -= int64(len(p))
	return true
}

func (b *blockReader) close() {
	b.res.free(&b.slab)
	b.rest, b.raw, b.packed, b.x.size = nil, nil, nil, 0
}
