package segment

import (
	"fmt"
	"io"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// Layout says what WriteTo writes for a record: the key if Key, then Separator,
// then the value if Value, then End.
type Layout struct {
	Key, Value     bool
	Separator, End []byte
}

// gatherSize is the size of the output buffer: the copies into it stay in the
// second-level cache and a write is large enough.
const gatherSize = 512 << 10

// WriteTo writes all remaining records to w in large pieces, for reduces that
// pass every record on unchanged, and returns the number of records and bytes
// written. With all segments in memory no record is touched before its single
// copy into the output buffer.
func (m *Merge) WriteTo(w io.Writer, l Layout) (records, written int64, err error) {
	if !m.started {
		m.start()
	}
	slab := m.cfg.Pool.Get(gatherSize)
	m.cfg.Budget.Acquire(int64(len(slab.Bytes)))
	defer func() {
		m.cfg.Pool.Put(slab)
		m.cfg.Budget.Release(int64(len(slab.Bytes)))
	}()
	g := gatherer{w: w, layout: l, buf: slab.Bytes[:0], slab: slab}
	for g.err == nil {
		_, key, value, ok := m.next()
		if !ok {
			break
		}
		g.record(key, value)
	}
	g.flush()
	if g.err == nil {
		g.err = m.err
	}
	return g.records, g.written, g.err
}

// gatherer lays records out in a buffer.
type gatherer struct {
	w                io.Writer
	layout           Layout
	buf              []byte
	slab             memory.Slab
	records, written int64
	err              error
}

func (g *gatherer) record(key, value []byte) {
	n := len(g.layout.Separator) + len(g.layout.End) + len(key) + len(value)
	if n > cap(g.buf)-len(g.buf) {
		g.flush()
	}
	g.records++
	if g.layout.Key {
		g.append(key)
	}
	g.append(g.layout.Separator)
	if g.layout.Value {
		g.append(value)
	}
	g.append(g.layout.End)
}

// append adds b to the buffer, or writes it at once if it is too large for it.
func (g *gatherer) append(b []byte) {
	if len(b) <= cap(g.buf)-len(g.buf) {
		g.buf = append(g.buf, b...)
		return
	}
	g.flush()
	if len(b) <= cap(g.buf) {
		g.buf = append(g.buf, b...)
		return
	}
	g.write(b)
}

func (g *gatherer) flush() {
	g.write(g.buf)
	g.buf = g.buf[:0]
}

func (g *gatherer) write(b []byte) {
	if g.err != nil || len(b) == 0 {
		return
	}
	n, err := g.w.Write(b)
	g.written += int64(n)
	if err != nil {
		g.err = fmt.Errorf("segment: writing records: %w", err)
	}
}
