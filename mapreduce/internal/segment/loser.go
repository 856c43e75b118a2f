package segment

import (
	"bytes"
	"math"
)

// loserTree finds the smallest of many sources' next keys. tree[0] is the winner, tree[1:] the
// losers of the matches on the way up. The next winner costs one comparison per level, half of a
// heap's, and most comparisons use prefixes in the tree itself.
type loserTree struct {
	sources []*source
	tree    []match
}

// match is a source with the prefix of its next key: the maximum if it is done, the minimum if it
// has failed.
type match struct {
	prefix uint64
	source int32
}

func newLoserTree(sources []*source) *loserTree {
	t := &loserTree{sources: sources, tree: make([]match, len(sources))}
	for i := range t.tree {
		t.tree[i].source = -1
	}
	for i := range sources {
		t.play(t.head(int32(i)))
	}
	return t
}

// winner returns the source with the smallest next key; it may be done or failed.
func (t *loserTree) winner() *source { return t.sources[t.tree[0].source] }

// next moves the winner to its next record and finds the new winner.
func (t *loserTree) next() {
	i := t.tree[0].source
	t.sources[i].advance()
	m := t.head(i)
	for n := (int(i) + len(t.tree)) / 2; n > 0; n /= 2 {
		if x := t.tree[n]; x.prefix < m.prefix || x.prefix == m.prefix && t.tie(x.source, m.source) {
			t.tree[n], m = m, x
		}
	}
	t.tree[0] = m
}

func (t *loserTree) head(i int32) match {
	switch s := t.sources[i]; s.state {
	case live, large:
		return match{s.prefix, i}
	case done:
		return match{math.MaxUint64, i}
	default:
		return match{0, i}
	}
}

// play enters a source while the tree is built: it waits at the first node without a source; the
// last one becomes the winner.
func (t *loserTree) play(m match) {
	for n := (int(m.source) + len(t.tree)) / 2; ; n /= 2 {
		x := t.tree[n]
		if x.source < 0 {
			t.tree[n] = m
			return
		}
		if x.prefix < m.prefix || x.prefix == m.prefix && t.tie(x.source, m.source) {
			t.tree[n], m = m, x
		}
	}
}

// tie reports whether source i comes before j; the prefixes of their next keys are equal.
func (t *loserTree) tie(i, j int32) bool {
	a, b := t.sources[i], t.sources[j]
	if a.state|b.state != live {
		if max(a.state, b.state) > large {
			return a.state == failed || b.state == done
		}
		if c := compareLarge(a, b); c != 0 {
			return c < 0
		}
		return a.ordinal < b.ordinal
	}
	if c := bytes.Compare(a.key, b.key); c != 0 {
		return c < 0
	}
	return a.ordinal < b.ordinal
}
