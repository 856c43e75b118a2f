package segment

import "bytes"

// loserTree merges sources: tree[0] is the winner, tree[1:] the losers of the
// matches on the way up. Replacing the winner costs one comparison a level,
// half of what a heap needs.
type loserTree struct {
	sources []*source
	tree    []int32
}

func newLoserTree(sources []*source) *loserTree {
	t := &loserTree{sources: sources, tree: make([]int32, len(sources))}
	for i := range t.tree {
		t.tree[i] = -1
	}
	for i := range sources {
		t.play(int32(i))
	}
	return t
}

// winner returns the source with the smallest head, or one that is done or
// failed.
func (t *loserTree) winner() *source { return t.sources[t.tree[0]] }

// next advances the winner and finds the new one.
func (t *loserTree) next() {
	w := t.tree[0]
	t.sources[w].advance()
	t.replay(w)
}

// play enters source i while the tree is built: it waits at the first node that
// nobody has reached yet.
func (t *loserTree) play(i int32) {
	n := (int(i) + len(t.tree)) / 2
	for ; n > 0; n /= 2 {
		if t.tree[n] < 0 {
			t.tree[n] = i
			return
		}
		if t.less(t.tree[n], i) {
			t.tree[n], i = i, t.tree[n]
		}
	}
	t.tree[0] = i
}

func (t *loserTree) replay(i int32) {
	for n := (int(i) + len(t.tree)) / 2; n > 0; n /= 2 {
		if t.less(t.tree[n], i) {
			t.tree[n], i = i, t.tree[n]
		}
	}
	t.tree[0] = i
}

func (t *loserTree) less(i, j int32) bool {
	a, b := t.sources[i], t.sources[j]
	if a.state|b.state != live {
		return a.state == failed || b.state == done
	}
	if a.prefix != b.prefix {
		return a.prefix < b.prefix
	}
	if c := bytes.Compare(a.key, b.key); c != 0 {
		return c < 0
	}
	return a.ordinal < b.ordinal
}
