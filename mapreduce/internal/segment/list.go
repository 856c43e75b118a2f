package segment

import (
	"encoding/binary"
	"math"
	"slices"
)

const (
	firstBlock = 4 << 10
	minBlock   = 384
	largeBlock = 32 << 10
)

// firstBlockOf returns the size of each partition's first block. All of them take at most a quarter
// of minRun.
func firstBlockOf(partitions int) int {
	n := minRun / 8 / max(partitions, 1)
	return min(max(n, minBlock), firstBlock)
}

// index lists the records of one partition in a run in memory, in emission order.
type index struct {
	blocks    []block
	n         int    // number of entries
	low, high uint64 // smallest and largest prefix, if there are entries
}

// block is a piece of a region with records, each in one of four forms, which its first byte
// identifies:
//
//   - up to inlineMost: the record itself, key and value each after a byte with its length;
//   - markFull: an entry;
//   - markLike: an entry that differs from the block's last full one only in prefix and key, with
//     its value at the same distance from the key;
//   - markNext: an entry in the region of the last full one, with the value directly after the key.
//
// Sorting uses entries, decoded from this form one partition at a time. The records of all
// partitions, which stay in memory until their reduces run, use this shorter form: TeraSort's take
// 13 bytes instead of 24, and a short record needs no entry.
type block struct {
	bytes  []byte
	at     uint32 // offset of bytes in the region
	region uint16
	base   uint16 // added to all numbers of regions; see collector
}

const (
	inlineMost = 126 // maximum bytes of key and value
	markFull   = 255
	markLike   = 254
	markNext   = 253

	fullSize = 1 + 8 + 4 + 4 + 4 + 2 + 2
	likeSize = 1 + 8 + 4
	nextSize = 1 + 8 + 4 + 2 + 2
)

// shape holds the fields of an entry that the next entries often share, so that blocks omit them.
type shape struct {
	value, vlen  uint32 // value: distance from the key
	klen, region uint16
}

// shapeless returns the shape at the start of a block; it equals no entry's, so the first is full.
func (b *block) shapeless() shape { return shape{vlen: math.MaxUint32, region: b.region} }

// list is the index of one partition under construction: its blocks double in size, so that a
// thousand partitions of a small job stay small.
type list struct {
	index          // the full blocks
	cur      block // its bytes are those written so far
	shape    shape // of the last full entry in cur
	written  int64 // bytes in full blocks
	reserved int64 // charged for the entries that a spill will sort
	records  int64 // more than entries if there are bundles; open bundles have no entry
	bytes    int64 // of keys and values
}

// push appends an entry; it returns false if the budget refuses a new block. force overrules it.
func (l *list) push(s *store, e *entry, first int, force bool) bool {
	if cap(l.cur.bytes)-len(l.cur.bytes) < fullSize && !l.grow(s, first, force) {
		return false
	}
	n := len(l.cur.bytes)
	b := l.cur.bytes[n : n+fullSize]
	x := shape{value: e.value - e.key, vlen: e.vlen, klen: e.klen, region: e.region}
	binary.LittleEndian.PutUint64(b[1:], e.prefix)
	binary.LittleEndian.PutUint32(b[9:], e.key)
	switch {
	case x == l.shape:
		b[0] = markLike
		n += likeSize
	case x.region == l.shape.region && x.vlen <= math.MaxUint16 && (x.vlen == 0 || x.value == uint32(x.klen)):
		b[0] = markNext
		binary.LittleEndian.PutUint16(b[13:], x.klen)
		binary.LittleEndian.PutUint16(b[15:], uint16(x.vlen))
		n += nextSize
	default:
		b[0] = markFull
		binary.LittleEndian.PutUint32(b[13:], x.value)
		binary.LittleEndian.PutUint32(b[17:], x.vlen)
		binary.LittleEndian.PutUint16(b[21:], x.klen)
		binary.LittleEndian.PutUint16(b[23:], x.region)
		l.shape = x
		n += fullSize
	}
	l.cur.bytes = l.cur.bytes[:n]
	l.entered(e.prefix)
	return true
}

// put appends a record of at most inlineMost bytes itself. It returns false if the budget refuses a
// new block.
func (l *list) put(s *store, prefix uint64, key, value []byte, first int, force bool) bool {
	n := 2 + len(key) + len(value)
	if cap(l.cur.bytes)-len(l.cur.bytes) < n && !l.grow(s, first, force) {
		return false
	}
	at := len(l.cur.bytes)
	b := l.cur.bytes[at : at+n]
	l.cur.bytes = l.cur.bytes[:at+n]
	b[0], b[1] = byte(len(key)), byte(len(value))
	copy(b[2+copy(b[2:], key):], value)
	l.entered(prefix)
	return true
}

// entered counts an appended record with this prefix.
func (l *list) entered(prefix uint64) {
	if l.n == 0 {
		l.low = prefix
	}
	l.n++
	l.low, l.high = min(l.low, prefix), max(l.high, prefix)
}

// grow starts a new block and charges memory for sorting its records, whose number it estimates. It
// returns false if the budget refuses.
func (l *list) grow(s *store, first int, force bool) bool {
	size := min(max(first, 2*cap(l.cur.bytes)), largeBlock)
	written := l.written + int64(len(l.cur.bytes))
	each := int64(likeSize)
	if l.n > 0 {
		each = max(written/int64(l.n), 2)
	}
	need := max(0, (int64(l.n)+int64(size)/each)*entrySize-l.reserved)
	b, ok := s.indexBlock(size, need, force)
	if !ok {
		return false
	}
	if l.cur.bytes != nil {
		l.blocks = append(l.blocks, l.cur)
	}
	l.written, l.reserved = written, l.reserved+need
	l.cur, l.shape = b, b.shapeless()
	return true
}

// whole returns the index with all blocks, including the current one.
func (l *list) whole() index {
	x := l.index
	if l.n > 0 {
		x.blocks = append(slices.Clip(x.blocks), l.cur)
	}
	return x
}
