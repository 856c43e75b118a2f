package segment

import (
	"fmt"
	"io"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// Layout is the format in which Merge.WriteTo writes a record: the key if Key, then Separator, then
// the value if Value, then End.
type Layout struct {
	Key, Value     bool
	Separator, End []byte
}

// gatherSize is the maximum size of the output buffer: it fits in the second-level cache and makes
// writes large enough.
const gatherSize = 512 << 10

// size returns an upper limit for the bytes of all records of m in this layout.
func (l *Layout) size(m *Merge) (n int64) {
	for i := range m.runs {
		n += m.runs[i].bytes + m.runs[i].records*int64(len(l.Separator)+len(l.End))
	}
	return n
}

// WriteTo writes all remaining records to w in large pieces, for reduces that pass records on
// unchanged, and returns the number of records and bytes written. If all segments are in memory,
// each record is copied once, into the output buffer.
func (m *Merge) WriteTo(w io.Writer, l Layout) (records, written int64, err error) {
	if !m.started {
		m.start()
	}
	slab := m.cfg.Pool.Get(int(min(gatherSize, l.size(m))))
	m.cfg.Budget.Acquire(int64(len(slab.Bytes)))
	defer func() {
		m.cfg.Pool.Put(slab)
		m.cfg.Budget.Release(int64(len(slab.Bytes)))
	}()
	m.streams = true
	g := gatherer{w: w, layout: l, buf: slab.Bytes[:0]}
	var list [touchAhead]Record
	for n := 1; n > 0 && g.err == nil; {
		if n = m.Some(list[:]); m.long != nil {
			m.stream(&g)
			continue
		}
		g.some(list[:n])
	}
	g.flush()
	if g.err == nil {
		g.err = m.err
	}
	return g.records, g.written, g.err
}

// gatherer writes records to w in a Layout, through a buffer.
type gatherer struct {
	w                io.Writer
	layout           Layout
	buf              []byte
	records, written int64
	err              error
}

// some writes records. It copies a record with one copy if its bytes are contiguous, as they are in
// a job that only sorts its input: gathering TeraSort's records takes 0.7 of the time with it.
func (g *gatherer) some(list []Record) {
	l, joined := &g.layout, g.layout.Key && g.layout.Value && len(g.layout.Separator) == 0
	g.records += int64(len(list))
	for i := range list {
		key, value := list[i].Key, list[i].Value
		if joined && memory.First(value) == memory.First(key).Add(uintptr(len(key))) {
			key, value = memory.First(key).Memory(uintptr(len(key)+len(value))), nil
		}
		if !l.Key {
			key = nil
		}
		if !l.Value {
			value = nil
		}
		n := len(key) + len(l.Separator) + len(value) + len(l.End)
		if n > cap(g.buf)-len(g.buf) {
			g.flush()
		}
		if n > cap(g.buf) {
			g.large(key, value)
			continue
		}
		buf := append(g.buf, key...)
		if len(l.Separator)+len(value) > 0 {
			buf = append(append(buf, l.Separator...), value...)
		}
		g.buf = append(buf, l.End...)
	}
}

// large writes a record that is larger than the buffer; the buffer must be empty.
func (g *gatherer) large(key, value []byte) {
	g.write(key)
	g.write(g.layout.Separator)
	g.write(value)
	g.write(g.layout.End)
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
