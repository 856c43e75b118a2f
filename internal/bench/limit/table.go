package limit

import (
	"math"
	"unsafe"
)

// entry is one distinct word and its count. k0 and k1 are the first 16 bytes of the word, loaded
// little-endian and padded with zeros; a longer word is in the arena, too. An entry has 32 bytes:
// two fill a cache line, so that the usual probe misses the cache once.
type entry struct {
	k0, k1 uint64
	count  uint64 // 0: the entry is free
	offset uint32 // of a long word in the arena
	length uint32
}

// table counts words by open addressing with linear probing, at most half full.
type table struct {
	entries vector[entry]
	shift   uint // the slot of a word is its hash >> shift
	used    int
	arena   []byte // long words, one after the other
}

const firstTableBits = 16

// add adds count to a word whose first 16 bytes are k0, k1 and whose hash is h.
func (t *table) add(k0, k1, h, count uint64, word []byte) {
	if 2*t.used >= len(t.entries.of) {
		t.grow()
	}
	entries, length := t.entries.of, uint32(len(word))
	mask := uint64(len(entries) - 1)
	for i := h >> t.shift; ; i++ {
		e := &entries[i&mask]
		if e.count == 0 {
			*e = entry{k0: k0, k1: k1, count: count, length: length}
			if length > 16 {
				e.offset = t.keep(word)
			}
			t.used++
			return
		}
		if e.k0 == k0 && e.k1 == k1 && e.length == length &&
			(length <= 16 || string(t.arena[e.offset:e.offset+length]) == string(word)) {
			e.count += count
			return
		}
	}
}

// keep copies a long word to the arena and returns its offset; it panics beyond 4 GiB of them.
func (t *table) keep(word []byte) uint32 {
	offset := len(t.arena)
	if offset+len(word) > math.MaxUint32 {
		panic("limit: more than 4 GiB of distinct words longer than 16 bytes")
	}
	t.arena = append(t.arena, word...)
	return uint32(offset)
}

// grow doubles the table.
func (t *table) grow() {
	old := t.entries
	t.entries = newVector[entry](2 * len(old.of))
	t.shift--
	entries := t.entries.of
	mask := uint64(len(entries) - 1)
	for j := range old.of {
		e := &old.of[j]
		if e.count == 0 {
			continue
		}
		i := t.hash(e) >> (t.shift & 63)
		for entries[i&mask].count != 0 {
			i++
		}
		entries[i&mask] = *e
	}
	old.free()
}

func (t *table) hash(e *entry) uint64 {
	if e.length <= 16 {
		return hash16(e.k0, e.k1)
	}
	return hashLong(t.arena[e.offset : e.offset+e.length])
}

// word returns the bytes of e's word, which are valid as long as e and the arena are unchanged.
func (t *table) word(e *entry) []byte {
	if e.length > 16 {
		return t.arena[e.offset : e.offset+e.length]
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(e)), e.length)
}

// merge adds the counts of o's words to t.
func (t *table) merge(o *table) {
	for j := range o.entries.of {
		if e := &o.entries.of[j]; e.count != 0 {
			t.add(e.k0, e.k1, o.hash(e), e.count, o.word(e))
		}
	}
}
