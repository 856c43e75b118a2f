package kept

import (
	"fmt"
	"sync/atomic"

	"github.com/cespare/xxhash/v2"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
	"github.com/tarry-mr/tarry/mapreduce/internal/segment"
)

const (
	firstKept  = 4 << 10   // size in bytes of a kept part's first block
	maxKept    = 256 << 10 // maximum size of a block, except for a longer record
	spillBlock = 64 << 10  // size of a block on disk: a reader holds one
)

// Data is the records of one part: blocks of whole records, each in memory or in a spill. Except
// for its index it is immutable once sealed. It is freed when the last user drops it.
type Data struct {
	o       *Options
	budget  *memory.Budget // of the attempt that wrote it; may be nil
	blocks  []block
	spill   *segment.Spill // nil if all blocks are in memory
	charged int64          // bytes of slabs
	kept    bool           // charged is charged to the root instead of the attempt
	refs    atomic.Int64
}

// block is where some whole records are: in a slab, or at an offset of the spill.
type block struct {
	slab memory.Slab // empty if the block is in the spill
	size int
	off  int64  // in the spill
	sum  uint64 // checksum of a block in the spill
}

func newData(o *Options, budget *memory.Budget) *Data {
	d := &Data{o: o, budget: budget}
	d.refs.Store(1)
	return d
}

// write appends a run of whole records, in memory or, once the budget refuses, to a spill.
func (d *Data) write(run []byte, form *Form) error {
	for len(run) > 0 {
		if d.spill == nil {
			if n := form.cut(run, d.room()); n > 0 {
				last := &d.blocks[len(d.blocks)-1]
				last.size += copy(last.slab.Bytes[last.size:], run[:n])
				run = run[n:]
				continue
			}
			if d.grow(form.Length(run)) {
				continue
			}
			if err := d.toDisk(); err != nil {
				return err
			}
		}
		n := form.cut(run, spillBlock)
		if n == 0 {
			n = form.Length(run)
		}
		if err := d.put(run[:n]); err != nil {
			return err
		}
		run = run[n:]
	}
	return nil
}

// room returns the free bytes of the last block in memory.
func (d *Data) room() int {
	if len(d.blocks) == 0 || d.spill != nil {
		return 0
	}
	last := &d.blocks[len(d.blocks)-1]
	return len(last.slab.Bytes) - last.size
}

// grow adds a block in memory for at least n bytes. It returns false unless the budget has twice as
// much, so that the attempt can still work.
func (d *Data) grow(n int) bool {
	size := firstKept
	if len(d.blocks) > 0 {
		size = min(2*len(d.blocks[len(d.blocks)-1].slab.Bytes), maxKept)
	}
	size = memory.SlabSize(max(size, n))
	if d.budget.Available() < 2*int64(size) || !d.budget.TryAcquire(int64(size)) {
		return false
	}
	d.charged += int64(size)
	d.blocks = append(d.blocks, block{slab: d.o.Pool.Get(size)})
	return true
}

// put appends b to the spill, as a block with a checksum.
func (d *Data) put(b []byte) error {
	off := int64(0)
	if n := len(d.blocks); n > 0 {
		off = d.blocks[n-1].off + int64(d.blocks[n-1].size)
	}
	if _, err := d.spill.Write(b); err != nil {
		return err
	}
	d.blocks = append(d.blocks, block{size: len(b), off: off, sum: xxhash.Sum64(b)})
	return nil
}

// toDisk moves all blocks to a spill; later ones are written there too.
func (d *Data) toDisk() (err error) {
	if d.spill, err = d.o.Spills.NewSpill(); err != nil {
		return err
	}
	blocks := d.blocks
	d.blocks = make([]block, 0, len(blocks))
	for i := range blocks {
		if err == nil {
			err = d.put(blocks[i].slab.Bytes[:blocks[i].size])
		}
		d.o.Pool.Put(blocks[i].slab)
	}
	d.budget.Release(d.charged)
	d.charged = 0
	return err
}

// seal ends writing. The records stay in memory if the budget allows (Budget.Keep); otherwise it
// moves them to disk.
func (d *Data) seal() error {
	if d.spill != nil || len(d.blocks) == 0 {
		return nil
	}
	d.shrink(&d.blocks[len(d.blocks)-1])
	if d.kept = d.budget.Keep(d.charged); d.kept {
		return nil
	}
	return d.toDisk()
}

// shrink moves a block to a smaller slab if that saves memory.
func (d *Data) shrink(b *block) {
	before, now := len(b.slab.Bytes), memory.SlabSize(b.size)
	if now >= before || !d.budget.TryAcquire(int64(now)) {
		return
	}
	slab := d.o.Pool.Get(now)
	copy(slab.Bytes, b.slab.Bytes[:b.size])
	d.o.Pool.Put(b.slab)
	b.slab = slab
	d.budget.Release(int64(before))
	d.charged += int64(now - before)
}

// Look calls fn with the bytes of block i. budget pays for the copy of a block from disk.
func (d *Data) Look(i int, budget *memory.Budget, fn func(run []byte) error) error {
	run, release, err := d.View(i, budget)
	if err != nil {
		return err
	}
	defer release()
	return fn(run)
}

// View returns the bytes of block i, valid until release. budget pays for the copy of a block from
// disk.
func (d *Data) View(i int, budget *memory.Budget) (run []byte, release func(), err error) {
	b := &d.blocks[i]
	if b.slab.Bytes != nil {
		return b.slab.Bytes[:b.size:b.size], func() {}, nil
	}
	slab := d.o.Pool.Get(b.size)
	size := int64(len(slab.Bytes))
	budget.Acquire(size)
	release = func() {
		d.o.Pool.Put(slab)
		budget.Release(size)
	}
	run = slab.Bytes[:b.size:b.size]
	if _, err = d.spill.ReadAt(run, b.off); err == nil && xxhash.Sum64(run) != b.sum {
		err = fmt.Errorf("a block of %d bytes has a wrong checksum", b.size)
	}
	if err != nil {
		release()
		return nil, nil, fmt.Errorf("%w: what was spilled of it is damaged: %w", ErrPartLost, err)
	}
	return run, release, nil
}

// Len returns the number of blocks.
func (d *Data) Len() int { return len(d.blocks) }

// Size returns the size of a block in bytes.
func (d *Data) Size(i int) int { return d.blocks[i].size }

// spilled returns the number of bytes on disk.
func (d *Data) spilled() (n int64) {
	if d.spill == nil {
		return 0
	}
	for i := range d.blocks {
		n += int64(d.blocks[i].size)
	}
	return n
}

func (d *Data) hold() *Data {
	d.refs.Add(1)
	return d
}

// Drop gives up one reference to the records; the last one frees them. A nil d does nothing.
func (d *Data) Drop() {
	if d == nil || d.refs.Add(-1) > 0 {
		return
	}
	for i := range d.blocks {
		d.o.Pool.Put(d.blocks[i].slab)
	}
	if d.spill != nil {
		d.spill.Release()
	}
	if d.kept {
		d.budget.ReleaseKept(d.charged)
	} else {
		d.budget.Release(d.charged)
	}
	d.blocks, d.spill, d.charged = nil, nil, 0
}
