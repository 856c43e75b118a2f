package segment

import (
	"fmt"
	"io"
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
	slab := m.cfg.charged(int(min(gatherSize, l.size(m))))
	defer m.cfg.free(&slab)
	m.streams = true
	g := gatherer{w: w, layout: l, buf: slab.Bytes[:0]}
	var list [touchAhead]Record
	for g.err == nil {
		n := m.Some(list[:])
		if n == 0 {
			break
		}
		if m.long != nil {
			m.stream(&g)
			continue
		}
		for i := range list[:n] {
			g.record(list[i].Key, list[i].Value)
		}
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

func (g *gatherer) record(key, value []byte) {
	l := &g.layout
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
	g.records++
	if n > cap(g.buf) {
		for _, part := range [...][]byte{key, l.Separator, value, l.End} {
			g.write(part) // the buffer is empty
		}
		return
	}
	b := append(append(g.buf, key...), l.Separator...)
	g.buf = append(append(b, value...), l.End...)
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
