package segment

import "bytes"

// keyReader reads the key of a source's next record in parts, because it may be larger than a
// block.
type keyReader struct {
	part []byte
	left uint64       // bytes of the key after part
	more *blockReader // nil while part comes from the source itself
}

// next moves to the next part when this one is used up; it returns false at the end of the key.
func (k *keyReader) next(s *source) bool {
	if len(k.part) > 0 {
		return true
	}
	if k.left == 0 {
		return false
	}
	if k.more == nil {
		k.more = s.file.fork()
	}
	p := k.more.more()
	if len(p) == 0 {
		s.file.err, s.state = k.more.err, failed
		return false
	}
	k.part = p[:min(uint64(len(p)), k.left)]
	k.left -= uint64(len(k.part))
	return true
}

func (k *keyReader) close() {
	if k.more != nil {
		k.more.close()
	}
}

func newKeyReader(s *source) keyReader {
	k := keyReader{part: s.key}
	if s.state == large {
		k.left = s.file.keyLen - uint64(len(s.key))
	}
	return k
}

// compareLarge compares the keys of two sources, of which one is only partly in memory. It reads
// the rest of such a key again; that is slow but rare. A source that cannot be read becomes failed
// and sorts first.
func compareLarge(a, b *source) int {
	x, y := newKeyReader(a), newKeyReader(b)
	defer x.close()
	defer y.close()
	for {
		more, other := x.next(a), y.next(b)
		switch {
		case a.state == failed:
			return -1
		case b.state == failed:
			return 1
		case !more && !other:
			return 0
		case !more:
			return -1
		case !other:
			return 1
		}
		n := min(len(x.part), len(y.part))
		if c := bytes.Compare(x.part[:n], y.part[:n]); c != 0 {
			return c
		}
		x.part, y.part = x.part[n:], y.part[n:]
	}
}

// fork returns another reader that starts at the rest of b's current record.
func (b *blockReader) fork() *blockReader {
	f := newBlockReader(b.r, b.x, b.ordinals, b.res)
	f.at, f.header, f.ahead, f.left = b.at, b.header, b.ahead, b.left
	return f
}

// whole returns the next record of s, which is larger than a block. It loads it into memory, where
// it stays until the next record is requested.
func (m *Merge) whole(s *source) (key, value []byte, ok bool) {
	f := s.file
	n := int(f.keyLen + f.valueLen) //nolint:gosec // no more than its section has
	m.cfg.free(&m.record)
	if m.cfg.Largest > 0 {
		if m.err = m.cfg.Budget.CheckHeld("a key with its value", int64(n), m.cfg.Largest); m.err != nil {
			return nil, nil, false
		}
	}
	m.record = m.cfg.charged(n)
	at := 0
	for p := f.part; len(p) > 0; p = f.more() {
		at += copy(m.record.Bytes[at:], p)
	}
	if f.err != nil {
		m.err = m.explain(f.err)
		return nil, nil, false
	}
	b := m.record.Bytes[:n:n]
	return b[:f.keyLen:f.keyLen], b[f.keyLen:], true
}

// stream writes the record m.long, which is larger than a block, to g while reading it.
func (m *Merge) stream(g *gatherer) {
	f := m.long
	m.long = nil
	g.flush()
	g.records++
	left := f.keyLen // remaining bytes of the key
	if left == 0 {
		g.write(g.layout.Separator)
	}
	for p := f.part; len(p) > 0 && g.err == nil; p = f.more() {
		if n := min(left, uint64(len(p))); n > 0 {
			if g.layout.Key {
				g.write(p[:n])
			}
			if left -= n; left == 0 {
				g.write(g.layout.Separator)
			}
			p = p[n:]
		}
		if g.layout.Value {
			g.write(p)
		}
	}
	g.write(g.layout.End)
	if f.err != nil {
		m.err = m.explain(f.err)
	}
}
