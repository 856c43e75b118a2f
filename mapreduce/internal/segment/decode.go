package segment

import "encoding/binary"

// decoder is the Reader of the records in index blocks.
type decoder struct {
	rest  []block
	b     block
	at    int // offset in b
	shape shape
}

// Entries implements Reader.
func (d *decoder) Entries(dst []entry) int {
	n := 0
	for n < len(dst) && d.more() {
		n += d.some(dst[n:])
	}
	return n
}

// Prefixes implements Reader.
func (d *decoder) Prefixes(dst []uint64) int {
	n := 0
	for n < len(dst) && d.more() {
		n += d.somePrefixes(dst[n:])
	}
	return n
}

// more moves to the next block when the current one is read; it returns false at the end.
func (d *decoder) more() bool {
	for d.at == len(d.b.bytes) {
		if len(d.rest) == 0 {
			return false
		}
		d.b, d.rest, d.at = d.rest[0], d.rest[1:], 0
		d.shape = d.b.shapeless()
	}
	return true
}

// some sets dst to entries of the current block, and returns how many.
func (d *decoder) some(dst []entry) int {
	b, at := d.b.bytes, d.at
	room := b[:cap(b)]
	region := d.b.region + d.b.base
	for i := range dst {
		if at >= len(b) {
			d.at = at
			return i
		}
		if b[at] > inlineMost {
			at += d.reference(&dst[i], b[at:])
			continue
		}
		klen, vlen := uint32(b[at]), uint32(b[at+1])
		at += 2
		key := d.b.at + uint32(at)
		e := &dst[i]
		e.key, e.value, e.vlen, e.klen, e.region = key, key+klen, vlen, uint16(klen), region
		e.prefix = prefixAt(room, at, klen)
		at += int(klen + vlen)
	}
	d.at = at
	return len(dst)
}

// somePrefixes sets dst to prefixes of the current block, and returns how many.
func (d *decoder) somePrefixes(dst []uint64) int {
	b, at := d.b.bytes, d.at
	room := b[:cap(b)]
	for i := range dst {
		if at >= len(b) {
			d.at = at
			return i
		}
		if b[at] <= inlineMost {
			klen, vlen := uint32(b[at]), uint32(b[at+1])
			dst[i] = prefixAt(room, at+2, klen)
			at += 2 + int(klen+vlen)
			continue
		}
		dst[i] = binary.LittleEndian.Uint64(b[at+1:])
		switch b[at] {
		case markLike:
			at += likeSize
		case markNext:
			at += nextSize
		default:
			at += fullSize
		}
	}
	d.at = at
	return len(dst)
}

// prefixAt returns the first 8 bytes of the key at room[at:], zero-padded if klen is smaller.
func prefixAt(room []byte, at int, klen uint32) uint64 {
	if at+8 <= len(room) {
		return binary.BigEndian.Uint64(room[at:]) &^ (^uint64(0) >> (8 * klen))
	}
	return prefixOf(room[at : at+int(klen)])
}

// reference sets e from b, an encoded entry for a record elsewhere, and returns its encoded size.
func (d *decoder) reference(e *entry, b []byte) int {
	x, n := d.shape, likeSize
	key := binary.LittleEndian.Uint32(b[9:])
	switch b[0] {
	case markNext:
		x.klen = binary.LittleEndian.Uint16(b[13:])
		x.value, x.vlen = uint32(x.klen), uint32(binary.LittleEndian.Uint16(b[15:]))
		n = nextSize
	case markFull:
		x.value, x.vlen = binary.LittleEndian.Uint32(b[13:]), binary.LittleEndian.Uint32(b[17:])
		x.klen, x.region = binary.LittleEndian.Uint16(b[21:]), binary.LittleEndian.Uint16(b[23:])
		d.shape = x
		n = fullSize
	}
	// Field by field: a whole entry would be built elsewhere and copied, which stalls on the bytes
	// just written.
	e.prefix = binary.LittleEndian.Uint64(b[1:])
	e.key, e.value, e.vlen = key, key+x.value, x.vlen
	e.klen, e.region = x.klen, x.region+d.b.base
	return n
}
