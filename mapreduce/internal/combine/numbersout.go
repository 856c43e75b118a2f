package combine

import (
	"encoding/binary"
	"unsafe"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
	"github.com/tarry-mr/tarry/mapreduce/internal/segment"
)

// packNumbers copies all places that are taken to their partitions.
func (d *packed[V]) packNumbers(t *Table[V]) {
	row := &t.d
	var buf [8]byte
	need := row.width + int(unsafe.Sizeof(*new(V))) + 2*binary.MaxVarintLen64
	row.each(func(i uint64) {
		key := row.keyAt(i, &buf)
		l := &d.parts[t.cfg.partition(key)]
		if cap(l.cur)-len(l.cur) < need {
			d.addBlock(l, t.c.pool, need)
		}
		l.cur = append(append(l.cur, byte(row.width)), key...)
		if t.c.sum {
			l.cur = binary.AppendVarint(l.cur, wordOf(&row.values[i]))
		} else {
			l.cur = append(l.cur, memoryOf(&row.values[i])...)
		}
		l.n++
		l.bytes += int64(len(key)) + int64(unsafe.Sizeof(*new(V)))
	})
}

// spillNumbers writes the row as a sorted run.
func (t *Table[V]) spillNumbers() error {
	d := &t.d
	w, err := segment.NewSpillWriter(segment.Config{
		Partitions: t.cfg.Partitions, Budget: t.cfg.Budget, Pool: t.cfg.Pool,
		Files: t.cfg.Files, SpillDir: t.cfg.SpillDir,
	})
	if err != nil {
		return err
	}
	defer w.Close()
	slab := t.c.pool.Get(8 * d.n)
	defer t.c.pool.Put(slab)
	order, ends := t.placesByPartition(memory.Cast[uint32](slab.Bytes)[:2*d.n])
	var buf [8]byte
	var value []byte
	start := uint32(0)
	for _, end := range ends {
		for _, i := range order[start:end] {
			key := d.keyAt(uint64(i), &buf)
			value = t.cfg.encode(value[:0], &d.values[i])
			if err := t.checkPair(key, value); err != nil {
				return err
			}
			if err := w.Add(key, value); err != nil {
				return err
			}
		}
		if err := w.EndPartition(); err != nil {
			return err
		}
		start = end
	}
	t.count(w)
	d.empty()
	return nil
}

// placesByPartition orders the taken places by partition and within one by key, and returns where
// each partition ends. space is for two numbers a place.
func (t *Table[V]) placesByPartition(space []uint32) (order, ends []uint32) {
	d := &t.d
	order, parts := space[:d.n], space[d.n:]
	ends = make([]uint32, t.cfg.Partitions)
	var buf [8]byte
	k := 0
	d.each(func(i uint64) {
		parts[k] = uint32(t.cfg.partition(d.keyAt(i, &buf)))
		ends[parts[k]]++
		k++
	})
	sum := uint32(0)
	for p, n := range ends {
		ends[p] = sum
		sum += n
	}
	k = 0
	d.each(func(i uint64) {
		order[ends[parts[k]]] = uint32(i)
		ends[parts[k]]++
		k++
	})
	return order, ends
}
