package combine

import (
	"encoding/binary"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// packed is a table's content by partition, unsorted. An entry is the length of
// the key (uvarint), the key, and the value: a varint of a sum, the value's
// memory if it has no pointers, else its length and encoding. Only values without an
// encoding stand beside.
// A word and its count take some 10 bytes instead of a cell's 32, which is what
// the outputs of all maps occupy until their reduces have ended.
type packed[V any] struct {
	parts []packedPart[V]
	slabs []memory.Slab
	rest  []byte // of the last slab of blocks below sharedBlock
	first int    // bytes of a partition's first block
	bytes int64  // of memory
	value []byte // scratch: the encoding of a value
}

type packedPart[V any] struct {
	full   [][]byte
	cur    []byte
	values []V
	n      int64
	bytes  int64 // of keys and values
}

const (
	firstBlock = 4 << 10
	leastBlock = 256
	largeBlock = 256 << 10
	sharedSlab = 64 << 10 // of small blocks, at least

	// Blocks behind the first of a partition that are smaller than sharedBlock share slabs, once
	// there is enough for one: by themselves they would lie on the Go heap, which is collected when
	// it has doubled.
	sharedBlock = 64 << 10
	mostShared  = 256 << 10 // bytes of such a slab
)

// pack copies all entries.
func (a *accumulator[V]) pack() packed[V] {
	d := packed[V]{parts: make([]packedPart[V], a.cfg.Partitions)}
	d.first = min(max(leastBlock, 2*sharedSlab/a.cfg.Partitions), firstBlock)
	var buf [8]byte
	for i, ok := a.dense.next(0); ok; i, ok = a.dense.next(i + 1) {
		a.packPair(&d, a.dense.keyOf(a.dense.base+i, &buf), &a.dense.values[i])
	}
	for i := range a.hash.cells {
		if i%touchCells == 0 {
			a.hash.touchArena(i)
		}
		if x := &a.hash.cells[i]; x.mark != 0 {
			if a.packPair(&d, x.in(a.hash.arena), &x.value); a.err != nil {
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

// packPair copies a pair.
func (a *accumulator[V]) packPair(d *packed[V], key []byte, v *V) {
	size := sizeOf[V]()
	encoded := !a.hash.offHeap && a.cfg.spills()
	if encoded {
		d.value = a.cfg.encode(d.value[:0], v)
		size = len(d.value)
		if a.err = a.cfg.checkPair(key, d.value); a.err != nil {
			return
		}
	}
	l := &d.parts[a.cfg.partition(key)]
	if need := len(key) + size + 2*binary.MaxVarintLen64; cap(l.cur)-len(l.cur) < need {
		d.addBlock(l, a.cfg.Pool, need)
	}
	l.cur = append(binary.AppendUvarint(l.cur, uint64(len(key))), key...)
	switch {
	case a.hash.sum:
		l.cur = binary.AppendVarint(l.cur, int64(wordOf(v)))
	case a.hash.offHeap:
		l.cur = append(l.cur, memoryOf(v)...)
	case encoded:
		l.cur = append(binary.AppendUvarint(l.cur, uint64(size)), d.value...)
	default:
		l.values = append(l.values, *v)
		d.bytes += int64(size) + a.hash.heap.weight(v)
	}
	l.n++
	l.bytes += int64(len(key) + size)
}

func (d *packed[V]) addBlock(l *packedPart[V], pool *memory.Pool, need int) {
	if len(l.cur) > 0 {
		l.full = append(l.full, l.cur)
	}
	n := max(need, min(max(d.first, 2*cap(l.cur)), largeBlock))
	if n < firstBlock || n > firstBlock && n < sharedBlock && d.bytes >= sharedSlab {
		if len(d.rest) < n {
			size := sharedSlab
			if n > firstBlock {
				size = int(min(max(sharedSlab, d.bytes/2), mostShared))
			}
			d.rest = d.slab(pool, size)
		}
		l.cur, d.rest = d.rest[:0:n], d.rest[n:]
		return
	}
	l.cur = d.slab(pool, n)[:0]
}

func (d *packed[V]) slab(pool *memory.Pool, n int) []byte {
	s := pool.Get(n)
	d.slabs = append(d.slabs, s)
	d.bytes += int64(len(s.Bytes))
	return s.Bytes
}

// absorb folds packed entries into the accumulator.
func (a *accumulator[V]) absorb(s *Segment[V]) {
	if s.dense != nil {
		a.absorbDense(s.dense)
		return
	}
	values := s.values
	encoded := !a.hash.offHeap && a.cfg.spills()
	var v V
	for _, b := range s.blocks {
		for len(b) > 0 {
			k, n := binary.Uvarint(b)
			b = b[n:]
			key := b[:k]
			b = b[k:]
			switch {
			case a.hash.sum:
				x, n := binary.Varint(b)
				setWord(&v, uint64(x))
				b = b[n:]
			case a.hash.offHeap:
				b = b[copy(memoryOf(&v), b):]
			case encoded:
				x, n := binary.Uvarint(b)
				b = b[n:]
				if v, a.err = a.cfg.decode(b[:x]); a.err != nil {
					return
				}
				b = b[x:]
			default:
				v, values = values[0], values[1:]
			}
			switch {
			case a.dense.width > 0:
				a.putNumber(number(key), v)
			case a.hash.heap.weigh == nil:
				a.put(key, v)
			default:
				if a.putHeavy(key, v); a.err != nil {
					return
				}
			}
		}
	}
}
