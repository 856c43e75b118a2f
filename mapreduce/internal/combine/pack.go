package combine

import (
	"encoding/binary"
	"unsafe"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
	"github.com/tarry-mr/tarry/mapreduce/internal/segment"
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

	// Blocks behind the first of a partition that are smaller than sharedBlock share slabs, once there
	// is enough for one: by themselves they would lie on the Go heap, which is collected when it has
	// doubled.
	sharedBlock = 64 << 10
	mostShared  = 256 << 10 // bytes of such a slab
)

// pack copies all entries of the table.
func (t *Table[V]) pack() packed[V] {
	d := packed[V]{parts: make([]packedPart[V], t.cfg.Partitions)}
	d.first = min(max(leastBlock, 2*sharedSlab/t.cfg.Partitions), firstBlock)
	size := int(unsafe.Sizeof(*new(V)))
	encoded := !t.c.offHeap && t.cfg.spills()
	if t.d.n > 0 {
		d.packNumbers(t)
	}
	var buf [inlineKey]byte
	var value []byte
	for i := range t.c.cells {
		if i%touchCells == 0 {
			t.c.touchArena(i)
		}
		x := &t.c.cells[i]
		if x.mark == 0 {
			continue
		}
		key := t.c.key(x, &buf)
		if encoded {
			value = t.cfg.encode(value[:0], &x.value)
			size = len(value)
			if t.err = t.checkPair(key, value); t.err != nil {
				return d
			}
		}
		l := &d.parts[t.cfg.partition(key)]
		if need := len(key) + size + 2*binary.MaxVarintLen64; cap(l.cur)-len(l.cur) < need {
			d.addBlock(l, t.c.pool, need)
		}
		l.cur = append(binary.AppendUvarint(l.cur, uint64(len(key))), key...)
		switch {
		case t.c.sum:
			l.cur = binary.AppendVarint(l.cur, wordOf(&x.value))
		case t.c.offHeap:
			l.cur = append(l.cur, memoryOf(&x.value)...)
		case encoded:
			l.cur = append(binary.AppendUvarint(l.cur, uint64(size)), value...)
		default:
			l.values = append(l.values, x.value)
			d.bytes += int64(size) + heldFactor*(heldEach+t.c.held.weigh(unsafe.Pointer(&x.value)))
		}
		l.n++
		l.bytes += int64(len(key) + size)
	}
	for i := range d.parts {
		if l := &d.parts[i]; len(l.cur) > 0 {
			l.full, l.cur = append(l.full, l.cur), nil
		}
	}
	return d
}

func (c *Config[V]) partition(key []byte) int {
	if c.Partition != nil {
		return c.Partition(key)
	}
	return segment.PartitionOf(key, c.Partitions)
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

// absorb folds packed entries into the table.
func (t *Table[V]) absorb(s *Segment[V]) {
	if s.row != nil {
		t.absorbRow(s.row)
		return
	}
	values := s.values
	encoded := !t.c.offHeap && t.cfg.spills()
	var v V
	for _, b := range s.blocks {
		for len(b) > 0 {
			k, n := binary.Uvarint(b)
			b = b[n:]
			key := b[:k]
			b = b[k:]
			switch {
			case t.c.sum:
				x, n := binary.Varint(b)
				setWord(&v, x)
				b = b[n:]
			case t.c.offHeap:
				b = b[copy(memoryOf(&v), b):]
			case encoded:
				x, n := binary.Uvarint(b)
				b = b[n:]
				if v, t.err = t.cfg.decode(b[:x]); t.err != nil {
					return
				}
				b = b[x:]
			default:
				v, values = values[0], values[1:]
			}
			if t.d.width > 0 {
				t.putNumber(t.d.number(key), &v)
				continue
			}
			if t.put(key, v); t.c.held.weigh == nil {
				continue
			}
			if t.bulky(&v) {
				t.flush()
				t.flushLong()
			}
			if t.err != nil {
				return
			}
		}
	}
}

// memoryOf returns the bytes of *v.
//
// Invariant: V holds no pointers, as Table and Segment see to with hasPointers.
func memoryOf[V any](v *V) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(v)), unsafe.Sizeof(*v))
}

// wordOf returns the bits of a sum, sign-extended from 32 bits so that small
// negative ones stay short; setWord reverses it.
//
// Invariant: V is an integer type of 4 or 8 bytes, which NewTable checks.
func wordOf[V any](v *V) int64 {
	if unsafe.Sizeof(*v) == 8 {
		return *(*int64)(unsafe.Pointer(v))
	}
	return int64(*(*int32)(unsafe.Pointer(v)))
}

func setWord[V any](v *V, x int64) {
	if unsafe.Sizeof(*v) == 8 {
		*(*int64)(unsafe.Pointer(v)) = x
		return
	}
	*(*int32)(unsafe.Pointer(v)) = int32(x)
}
