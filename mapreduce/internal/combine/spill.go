package combine

import (
	"encoding/binary"
	"fmt"
	"unsafe"

	"github.com/tarry-mr/tarry/mapreduce/internal/segment"
)

// drain empties the table into a spill of sorted runs.
func (t *Table[V]) drain() {
	if t.c.n == 0 || t.err != nil {
		return
	}
	if !t.cfg.spills() {
		t.err = fmt.Errorf("a table of %d keys is full and its values have no encoding to spill", t.c.n)
		return
	}
	d := t.divide()
	t.spill(&d)
	for _, s := range d.slabs {
		t.cfg.Pool.Put(s)
	}
	t.c.clear()
}

// spill sorts and writes the divided table. The table's own cells, of which
// there are at least twice as many as entries, are the room to sort in.
func (t *Table[V]) spill(d *divided[V]) {
	w, err := segment.NewSpillWriter(segment.Config{
		Budget: t.cfg.Budget, Pool: t.cfg.Pool, SpillDir: t.cfg.SpillDir, Name: t.cfg.Name,
	})
	if err != nil {
		t.err = err
		return
	}
	defer w.Close()
	for p := range d.parts {
		l := &d.parts[p]
		dst, tmp := t.c.cells[:l.n], t.c.cells[l.n:2*l.n]
		sortCells(l.full, dst, tmp, t.c.arena)
		if t.err = t.write(w, dst); t.err != nil {
			return
		}
	}
	segments, stats := w.Segments()
	t.spills = append(t.spills, segments)
	t.stats.Spills++
	t.stats.SpilledRecords += stats.SpilledRecords
	t.stats.SpilledBytes += stats.SpilledBytes
	t.stats.FileBytes += stats.FileBytes
}

func (t *Table[V]) write(w *segment.SpillWriter, sorted []cell[V]) error {
	var key [inlineKey]byte
	var value []byte
	for i := range sorted {
		x := &sorted[i]
		value = t.cfg.encode(value[:0], &x.value)
		if err := w.Add(turnedKey(x, t.c.arena, &key), value); err != nil {
			return err
		}
	}
	return w.EndPartition()
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
