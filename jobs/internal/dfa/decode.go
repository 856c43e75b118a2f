package dfa

import "encoding/binary"

// node is a position within a multi-byte character, after its first bytes. First bytes with the
// same possible continuations and character classes share a node. Node 0 is between two characters.
type node struct {
	length int  // bytes read
	more   int  // bytes still to read
	lo, hi byte // range of the next byte
	class  int32
	// next has, for each byte lo…hi, a class if more is 1, otherwise a node. It is nil if all
	// characters that begin like this have the same class
	next []int32
}

// decoder decodes UTF-8 as package unicode/utf8 does: a byte that is not part of a valid character
// is U+FFFD by itself. It creates nodes on demand.
type decoder struct {
	a     *alphabet
	nodes []node
	ids   map[string]int32
	leads [256]int32 // by first byte: the node after it; -1: not a first byte; 0: not created yet
	key   []byte
}

func newDecoder(a *alphabet) *decoder {
	d := &decoder{a: a, nodes: make([]node, 1), ids: map[string]int32{}}
	for b := range d.leads {
		if b < 0xc2 || b > 0xf4 {
			d.leads[b] = -1
		}
	}
	return d
}

// lead returns the node after the first byte of a multi-byte character, or -1 if b is not one.
func (d *decoder) lead(b byte) int32 {
	if d.leads[b] == 0 {
		n, first := node{length: 1, lo: 0x80, hi: 0xbf}, rune(0)
		switch {
		case b < 0xe0:
			n.more, first = 1, rune(b&0x1f)<<6
		case b < 0xf0:
			n.more, first = 2, rune(b&0x0f)<<12
		default:
			n.more, first = 3, rune(b&0x07)<<18
		}
		switch b {
		case 0xe0:
			n.lo = 0xa0
		case 0xed:
			n.hi = 0x9f
		case 0xf0:
			n.lo = 0x90
		case 0xf4:
			n.hi = 0x8f
		}
		d.leads[b] = d.make(n, first)
	}
	return d.leads[b]
}

// make sets class and next of node n, and returns its number. Its characters begin with first.
func (d *decoder) make(n node, first rune) int32 {
	shift := 6 * (n.more - 1)
	start := func(b byte) rune { return first | rune(b&0x3f)<<shift }
	n.class = d.a.uniform(start(n.lo), start(n.hi)|(1<<shift-1))
	if n.class < 0 {
		n.next = make([]int32, 0, 64)
		for b := n.lo; b <= n.hi; b++ {
			if n.more == 1 {
				n.next = append(n.next, d.a.search(start(b)))
			} else {
				n.next = append(n.next, d.make(n.inner(), start(b)))
			}
		}
	}
	return d.intern(n)
}

// inner returns the node after one more byte, of any value; the caller narrows its range.
func (n *node) inner() node {
	return node{length: n.length + 1, more: n.more - 1, lo: 0x80, hi: 0xbf, class: n.class}
}

// intern returns the number of a node equal to n; it adds n if there is none.
func (d *decoder) intern(n node) int32 {
	d.key = append(d.key[:0], byte(n.length), byte(n.more), n.lo, n.hi)
	d.key = binary.AppendVarint(d.key, int64(n.class))
	for _, x := range n.next {
		d.key = binary.AppendVarint(d.key, int64(x))
	}
	id, ok := d.ids[string(d.key)]
	if !ok {
		id = int32(len(d.nodes))
		d.nodes = append(d.nodes, n)
		d.ids[string(d.key)] = id
	}
	return id
}

// step reads b at a node. Within a character it returns the next node. At the end of a character it
// returns -1 and the class. If the bytes are not a character, it returns -1, -1.
func (d *decoder) step(at int32, b byte) (within, class int32) {
	n := &d.nodes[at]
	if b < n.lo || b > n.hi {
		return -1, -1
	}
	switch {
	case n.more == 1 && n.next == nil:
		return -1, n.class
	case n.more == 1:
		return -1, n.next[b-n.lo]
	case n.next == nil:
		return d.intern(n.inner()), -1
	default:
		return n.next[b-n.lo], -1
	}
}
