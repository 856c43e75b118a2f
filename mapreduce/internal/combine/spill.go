package combine

import (
	"encoding/binary"
	"fmt"
	"unsafe"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
	"github.com/tarry-mr/tarry/mapreduce/internal/segment"
)

// drain empties the table into a spill of sorted runs.
func (t *Table[V]) drain() {
	if t.c.n+t.d.n == 0 || t.err != nil {
		return
	}
	if !t.cfg.spills() {
		t.err = fmt.Errorf("a table of %d keys is full and its values have no encoding to spill", t.c.n+t.d.n)
		return
	}
	if t.c.n > 0 {
		t.err = t.spill()
		t.c.clear()
	}
	if t.err == nil && t.d.n > 0 {
		t.err = t.spillNumbers()
	}
}

// spill sorts and writes the table, which it destroys. The table's charge pays
// for the copy to sort into.
func (t *Table[V]) spill() error {
	w, err := segment.NewSpillWriter(segment.Config{
		Partitions: t.cfg.Partitions, Budget: t.cfg.Budget, Pool: t.cfg.Pool,
		Files: t.cfg.Files, SpillDir: t.cfg.SpillDir,
	})
	if err != nil {
		return err
	}
	defer w.Close()
	sorted, slab := makeCells[V](t.c.pool, t.c.offHeap, t.c.n)
	defer t.c.pool.Put(slab)
	sortCells([][]cell[V]{t.c.cells}, sorted, t.c.cells[:t.c.n], t.c.arena)
	sorted, ends := t.byPartition(sorted)
	start := uint32(0)
	for _, end := range ends {
		if err := t.write(w, sorted[start:end]); err != nil {
			return err
		}
		start = end
	}
	t.count(w)
	return nil
}

// count takes a spill over and counts it.
func (t *Table[V]) count(w *segment.SpillWriter) {
	spill, stats := w.Spill()
	t.spills = append(t.spills, spill)
	t.stats.Spills++
	t.stats.SpilledRecords += stats.SpilledRecords
	t.stats.SpilledBytes += stats.SpilledBytes
	t.stats.FileBytes += stats.FileBytes
}

// byPartition orders sorted cells by partition, into the table's memory if there
// is more than one, and returns where each partition ends.
func (t *Table[V]) byPartition(sorted []cell[V]) ([]cell[V], []uint32) {
	ends := make([]uint32, t.cfg.Partitions)
	if len(ends) == 1 {
		ends[0] = uint32(len(sorted))
		return sorted, ends
	}
	slab := t.c.pool.Get(4 * len(sorted))
	defer t.c.pool.Put(slab)
	parts := memory.Cast[uint32](slab.Bytes)[:len(sorted)]
	var key [inlineKey]byte
	for i := range sorted {
		parts[i] = uint32(t.cfg.partition(turnedKey(&sorted[i], t.c.arena, &key)))
		ends[parts[i]]++
	}
	sum := uint32(0)
	for p, n := range ends {
		ends[p] = sum
		sum += n
	}
	out := t.c.cells[:len(sorted)]
	for i, p := range parts {
		out[ends[p]] = sorted[i]
		ends[p]++
	}
	return out, ends
}

func (t *Table[V]) write(w *segment.SpillWriter, sorted []cell[V]) error {
	var buf [inlineKey]byte
	var value []byte
	for i := range sorted {
		x := &sorted[i]
		key := turnedKey(x, t.c.arena, &buf)
		value = t.cfg.encode(value[:0], &x.value)
		if err := t.checkPair(key, value); err != nil {
			return err
		}
		if err := w.Add(key, value); err != nil {
			return err
		}
	}
	return w.EndPartition()
}

// checkPair refuses a key whose value has grown too large to be held with it.
func (t *Table[V]) checkPair(key, value []byte) error {
	return t.cfg.Budget.CheckHeld("a key with its combined value", int64(len(key)+len(value)), t.cfg.largest)
}

// encode appends the encoding of a value; sums have their own.
func (c *Config[V]) encode(dst []byte, v *V) []byte {
	switch {
	case c.Append != nil:
		return c.Append(dst, *v)
	case unsafe.Sizeof(*v) == 8:
		return binary.LittleEndian.AppendUint64(dst, *(*uint64)(unsafe.Pointer(v)))
	default:
		return binary.LittleEndian.AppendUint32(dst, *(*uint32)(unsafe.Pointer(v)))
	}
}

func (c *Config[V]) decode(b []byte) (v V, err error) {
	switch {
	case c.Decode != nil:
		v, err = c.Decode(b)
	case unsafe.Sizeof(v) == 8 && len(b) == 8:
		*(*uint64)(unsafe.Pointer(&v)) = binary.LittleEndian.Uint64(b)
	case unsafe.Sizeof(v) == 4 && len(b) == 4:
		*(*uint32)(unsafe.Pointer(&v)) = binary.LittleEndian.Uint32(b)
	default:
		err = segment.ErrCorrupt
	}
	if err != nil {
		return v, fmt.Errorf("combine: a spilled value of %d bytes: %w", len(b), err)
	}
	return v, nil
}
