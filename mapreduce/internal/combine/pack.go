package combine

import (
	"encoding/binary"
	"fmt"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
	"github.com/tarry-mr/tarry/mapreduce/internal/segment"
)

// Finish ends the attempt and returns one segment per partition, which the caller must release.
// Afterwards the table can only be closed.
func (t *Table) Finish() ([]*Segment, segment.Stats, error) {
	t.acc.gather(nil)
	t.acc.stats.Bytes += t.acc.stats.Records * int64(t.acc.dense.width+int(t.acc.form.size))
	out := make([]*Segment, t.acc.opt.Partitions)
	for p := range out {
		out[p] = &Segment{}
	}
	if t.acc.err == nil && t.acc.len() > 0 {
		t.acc.hand(out)
	}
	if t.acc.err != nil {
		t.Close()
		return nil, t.acc.stats, fmt.Errorf("combine: %w", t.acc.err)
	}
	for p, s := range out {
		s.files = segment.OfSpills(t.acc.spills, p)
		s.records += s.files.Records()
		s.bytes += s.files.Bytes()
		t.acc.stats.Output += s.records
		t.acc.stats.OutputBytes += s.bytes
	}
	stats := t.acc.stats
	t.Close()
	return out, stats, nil
}

// hand sets the segments out to the table's pairs in memory: views of the dense array or packed
// copies. If the budget refuses, it spills the pairs. Until the table is freed, its charge pays for
// the copies.
func (a *accumulator) hand(out []*Segment) {
	if a.opt.Stored {
		a.drain()
		return
	}
	var views []*denseSegment
	pairs, d := a.keys(), a.dense
	if a.viewsDense() {
		views, pairs.dense = a.denseSegments(), places{}
	}
	p := a.pack(pairs)
	s := newStore(&a.opt, p.slabs, 0)
	defer s.drop()
	if a.err != nil {
		return
	}
	if views != nil {
		p.bytes += a.viewsBytes()
	}
	if !s.budget.Keep(p.bytes) {
		a.drain()
		return
	}
	if views != nil {
		s.slabs, a.dense.slab = append(s.slabs, d.slab), memory.Slab{}
	}
	a.free()
	s.budget.Acquire(p.bytes)
	s.charged = p.bytes
	for i, x := range out {
		l := &p.parts[i]
		x.blocks, x.records, x.bytes = l.full, l.n, l.bytes
		if views != nil {
			if n := int64(views[i].count()); n > 0 {
				x.dense, x.records = views[i], x.records+n
				x.bytes += n * int64(d.width+int(a.form.size))
			}
		}
		if x.inMemory = x.records; x.records > 0 {
			x.store = s
			s.refs.Add(1)
		}
	}
}

// packed is a copy of a table's pairs by partition, unsorted, in the form that segments hold. A
// pair is the key's length (uvarint), the key and the value. A value is a varint if values are
// added, its memory if it has no pointers, otherwise its length and encoding. A word and its count
// take 10 bytes instead of a cell's 32. The outputs of all maps take that until their reduces end.
type packed struct {
	parts []packedPart
	slabs []memory.Slab
	rest  []byte // unused part of the latest shared slab
	first int    // size of a partition's first block
	bytes int64  // of memory
	value []byte // scratch: the encoding of a value
}

type packedPart struct {
	full  [][]byte
	cur   []byte
	n     int64
	bytes int64 // of keys and values
}

const (
	firstBlock = 4 << 10
	minBlock   = 256
	largeBlock = 256 << 10
	// sharedSlab is the size from which a block has a slab of its own. Smaller ones share slabs:
	// alone they would be on the Go heap, which doubles before it is collected.
	sharedSlab = 64 << 10
)

// pack returns a copy of all pairs in l, for the segments.
func (a *accumulator) pack(l *keyList) packed {
	d := packed{parts: make([]packedPart, a.opt.Partitions)}
	d.first = min(max(minBlock, 2*sharedSlab/a.opt.Partitions), firstBlock)
	var buf [8]byte
	for i, ok := l.dense.next(0); ok; i, ok = l.dense.next(i + 1) {
		a.packPair(&d, l.dense.keyOf(l.dense.base+i, &buf), a.form.place(l.values, int(i)))
	}
	for i := range l.n {
		if i%touchCells == 0 {
			l.touchArena(i)
		}
		if x := l.cell(i); x.mark != 0 {
			if a.packPair(&d, x.in(l.arena), l.valueOf(x)); a.err != nil {
				return d
			}
		}
	}
	for i := range d.parts {
		if l := &d.parts[i]; len(l.cur) > 0 {
			l.full, l.cur = append(l.full, l.cur), nil
		}
	}
	return d
}

// touchCells is the number of cells that one call of touchArena looks at; half of them may be free.
const touchCells = 256

// touchArena brings both ends of each long key of the touchCells cells from i on into the cache, so
// that cache misses overlap. Packing takes 47 instead of 55 ns per key.
func (l *keyList) touchArena(i int) {
	for end := min(i+touchCells, l.n); i < end; i++ {
		if x := l.cell(i); x.mark > inlineKey+1 {
			l.seen += uint32(l.arena[x.off]) + uint32(l.arena[x.off+x.mark-2])
		}
	}
}

// packPair appends the pair of key and the value at v to its partition.
func (a *accumulator) packPair(d *packed, key []byte, v memory.Pointer) {
	size := int(a.form.size)
	if !a.form.offHeap {
		d.value = a.form.Append(d.value[:0], v)
		size = len(d.value)
		if a.err = a.opt.checkPair(key, d.value); a.err != nil {
			return
		}
	}
	l := &d.parts[a.opt.partition(key)]
	if need := len(key) + size + 2*binary.MaxVarintLen64; cap(l.cur)-len(l.cur) < need {
		d.addBlock(l, a.opt.Pool, need)
	}
	l.cur = append(binary.AppendUvarint(l.cur, uint64(len(key))), key...)
	switch {
	case a.form.sum:
		l.cur = binary.AppendVarint(l.cur, *memory.To[int64](v))
	case a.form.offHeap:
		l.cur = append(l.cur, a.form.bytes(v)...)
	default:
		l.cur = append(binary.AppendUvarint(l.cur, uint64(size)), d.value...)
	}
	l.n++
	l.bytes += int64(len(key) + size)
}

// addBlock gives l a new block, twice as large as the last one, with at least need bytes.
func (d *packed) addBlock(l *packedPart, pool *memory.Pool, need int) {
	if len(l.cur) > 0 {
		l.full = append(l.full, l.cur)
	}
	n := max(need, min(max(d.first, 2*cap(l.cur)), largeBlock))
	if n >= sharedSlab {
		l.cur = d.slab(pool, n)[:0]
		return
	}
	if len(d.rest) < n {
		d.rest = d.slab(pool, max(n, min(len(d.parts)*d.first, sharedSlab)))
	}
	l.cur, d.rest = d.rest[:0:n], d.rest[n:]
}

func (d *packed) slab(pool *memory.Pool, n int) []byte {
	s := pool.Get(n)
	d.slabs = append(d.slabs, s)
	d.bytes += int64(len(s.Bytes))
	return s.Bytes
}

// absorb folds the in-memory pairs of a segment, for a Merge.
func (a *accumulator) absorb(s *Segment) {
	if s.dense != nil {
		a.absorbDense(s.dense)
	}
	for _, b := range s.blocks {
		for len(b) > 0 {
			k, n := binary.Uvarint(b)
			b = b[n:]
			key := b[:k]
			b = b[k:]
			switch v := a.next(); {
			case a.form.sum:
				x, n := binary.Varint(b)
				*memory.To[int64](v) = x
				b = b[n:]
			case a.form.offHeap:
				b = b[copy(a.form.bytes(v), b):]
			default:
				x, n := binary.Uvarint(b)
				b = b[n:]
				if a.err = a.form.read(b[:x], v); a.err != nil {
					return
				}
				b = b[x:]
			}
			if a.dense.width > 0 {
				a.putNumber(number(key))
			} else if a.put(key); a.err != nil {
				return
			}
		}
	}
}
