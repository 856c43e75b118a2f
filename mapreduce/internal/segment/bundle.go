package segment

import (
	"bytes"
	"math"

	"github.com/cespare/xxhash/v2"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// A bundle stores several values of one key behind the key, each with its length. One index entry
// represents them all. If a map emits few keys, each many times, records take a fifth of the memory
// that separate entries, keys and values take, and there is almost nothing to sort.
//
//  1. A sorter examines keys once it has received enough records for a table to pay.
//  2. A value is appended to its key's open bundle. A full bundle gets an entry, and the key's next
//     one is twice as large.
//  3. The order of a key's values is preserved, as entries with equal keys stay in order: a record
//     that is not bundled is added after an entry for each open bundle.
//  4. A sorter stops bundling if its keys hardly repeat or are too many.
const (
	bundleAfter  = 1 << 6   // number of records
	bundleKeys   = 1 << 12  // maximum number of keys; their entries are a fraction of the smallest run
	bundleProbe  = 1 << 10  // number of keys after which one record in six must have repeated one
	bundledKey   = 1<<8 - 1 // maximum bytes of a key
	bundledValue = 1<<8 - 1 // maximum bytes of a value, whose length is a byte
	firstBundle  = 4        // number of values
	largeBundle  = 2 << 10  // bytes

	bundleCells  = 2 * bundleKeys
	cellSize     = 32
	neverBundled = math.MaxInt64
)

// bundles holds a sorter's bundles that can still grow, in a hash table by key.
type bundles struct {
	from    int64 // number of records before bundling starts
	records int64 // number of records since then
	keys    int
	cells   []bundle // hash table by key, less than half full; nil until needed
	slab    memory.Slab
}

// bundle is a cell of the hash table: a key with its values so far. If end is 0, the cell is empty.
type bundle struct {
	prefix    uint64 // of the key
	key       uint32 // offset of the key in the region
	at, end   uint32 // offset of the next value, and end of the space for values
	partition uint32
	region    uint16
	klen      uint16
}

// bundle appends the value to its key's open bundle. It returns false if the caller must add the
// record by itself; then no bundle of its key is open.
func (s *Sorter) bundle(partition int, prefix uint64, key, value []byte) bool {
	if len(key) > bundledKey || len(value) > bundledValue || s.refers(key, value) || !s.table() {
		s.bundleNoMore()
		return false
	}
	b := &s.bundles
	b.records++
	c := s.cell(partition, prefix, key)
	if c.end == 0 {
		if b.keys++; b.keys == bundleKeys || b.keys == bundleProbe && 5*b.records < 6*bundleProbe {
			s.bundleNoMore()
			return false
		}
		c.prefix, c.partition = prefix, uint32(partition)
		c.klen = uint16(len(key))
		if !s.begin(c, key, firstBundle*(1+len(value))) {
			s.flush()
			return false
		}
	}
	n := uint32(1 + len(value))
	if n > c.end-c.at && !s.more(c, n) {
		s.flush()
		return false
	}
	room := s.store.regions[c.region][c.at : c.at+n]
	room[0] = byte(len(value))
	copy(room[1:], value)
	c.at += n
	return true
}

// cutValue returns the first value of a bundle's values b, and the rest.
func cutValue(b []byte) (value, rest []byte) {
	end := 1 + int(b[0])
	return b[1:end:end], b[end:]
}

// refers reports whether key and value are in the pinned chunk, so that they need no copy.
func (s *Sorter) refers(key, value []byte) bool {
	if s.pin == nil || s.region == refused {
		return false
	}
	_, ok := memory.Within(s.pin.chunk, key)
	if ok && len(value) > 0 {
		_, ok = memory.Within(s.pin.chunk, value)
	}
	return ok
}

// table makes sure that the hash table exists; false if the budget refuses.
func (s *Sorter) table() bool {
	b := &s.bundles
	if b.cells != nil {
		return true
	}
	if !s.cfg.Budget.TryAcquire(bundleCells * cellSize) {
		return false
	}
	b.slab = s.cfg.Pool.GetZeroed(bundleCells * cellSize)
	b.cells = memory.Cast[bundle](b.slab.Bytes)[:bundleCells]
	return true
}

// hashOf returns the hash of a key.
func hashOf(prefix uint64, key []byte) uint64 {
	if len(key) > 8 {
		return xxhash.Sum64(key)
	}
	return (prefix + uint64(len(key))) * 0x9e3779b97f4a7c15 >> 32
}

// cell returns the cell with the bundle of a key in a partition, to which values can be appended,
// or the empty cell where its bundle belongs.
func (s *Sorter) cell(partition int, prefix uint64, key []byte) *bundle {
	for i := hashOf(prefix, key); ; i++ {
		c := &s.bundles.cells[i%bundleCells]
		if c.end == 0 || c.prefix == prefix && int(c.klen) == len(key) && c.partition == uint32(partition) &&
			(len(key) <= 8 || bytes.Equal(key[8:], s.store.regions[c.region][c.key+8:][:len(key)-8])) {
			return c
		}
	}
}

// begin starts an empty bundle of key in cell c, with room bytes for values behind the key in the
// arena. It returns false if the budget refuses.
func (s *Sorter) begin(c *bundle, key []byte, room int) bool {
	n := longKeySize + len(key) + room
	b, region, at := s.store.cut(&s.store.arena, n, false)
	if b == nil {
		c.end = 0
		return false
	}
	c.region, c.key = region, at+longKeySize
	putLength(b, len(key))
	copy(b[longKeySize:], key)
	c.at, c.end = c.key+uint32(len(key)), at+uint32(n)
	return true
}

// more replaces the full bundle in c by an empty, larger one of the same key, with room for a value
// of n bytes. It returns false if the budget refuses.
func (s *Sorter) more(c *bundle, n uint32) bool {
	if !s.enter(c, false) {
		return false
	}
	key := s.store.regions[c.region][c.key : c.key+uint32(c.klen)]
	room := c.end - c.key - uint32(c.klen)
	return s.begin(c, key, int(max(min(2*room, largeBundle), n)))
}

// enter adds an index entry for the values in the open bundle c; then they are records of the
// Sorter. It returns false if the budget refuses room for the entry, which force prevents.
func (s *Sorter) enter(c *bundle, force bool) bool {
	value := c.key + uint32(c.klen)
	if c.at == value {
		return true
	}
	e := entry{prefix: c.prefix, key: c.key, value: value, vlen: c.at - value, klen: bundleKey, region: c.region}
	if !s.lists[c.partition].push(s.store, &e, s.first, force) {
		return false
	}
	c.at = value
	return true
}

// flush adds an index entry for each open bundle, and closes them all.
func (s *Sorter) flush() {
	b := &s.bundles
	if b.keys == 0 {
		return
	}
	for i := range b.cells {
		if c := &b.cells[i]; c.end > 0 {
			s.enter(c, true)
		}
	}
	clear(b.cells)
	b.keys, b.records = 0, 0
}

// bundleNoMore closes all bundles; from now on Add stores each record by itself.
func (s *Sorter) bundleNoMore() {
	s.flush()
	s.dropBundles()
	s.bundles.from = neverBundled
}

// dropBundles frees the hash table of the bundles.
func (s *Sorter) dropBundles() {
	s.cfg.free(&s.bundles.slab)
	s.bundles.cells = nil
}
