package mapreduce

import (
	"bytes"
	"iter"

	"github.com/tarry-mr/tarry/mapreduce/counter"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
)

// groupRun is a reduce attempt at work on the groups of a stream in key order.
type groupRun[I, K, V, O any] struct {
	run       *reduceRun[I, K, V, O]
	next      func() (key []byte, v V, ok bool, err error)
	decodeKey func([]byte) (K, error)

	// The pair at hand, as next gave it.
	key []byte
	v   V
	ok  bool
	err error

	group  []byte // the first key of the group at hand
	prefix int    // of group: what its keys have in common
	first  bool   // the pair at hand is the group's first

	calls           callCount
	values          [keptSeqs]iter.Seq[V]
	pairs           [keptSeqs]iter.Seq2[K, V] // nil unless the user's function is for pairs
	records, groups int64
}

// groups calls the user's Reduce for each group of a stream in key order.
func (r *reduceRun[I, K, V, O]) groups(next func() ([]byte, V, bool, error)) error {
	if r.bound.identity() {
		return r.pass(next)
	}
	g := &groupRun[I, K, V, O]{run: r, next: next, decodeKey: r.bound.key.Decoder()}
	g.calls.resumes = r.user.resumes
	defer func() {
		r.c.Add(counter.ReduceInputRecords, g.records)
		r.c.Add(counter.ReduceInputGroups, g.groups)
	}()
	for i := range keptSeqs {
		if r.user.Pairs != nil {
			g.pairs[i] = g.pairsOf(i)
		} else {
			g.values[i] = g.valuesOf(i)
		}
	}
	g.key, g.v, g.ok, g.err = next()
	for g.ok && g.err == nil {
		if err := g.reduce(); err != nil {
			return err
		}
	}
	if g.err == nil && r.user.Close != nil {
		r.w.gate.Open()
		g.err = r.user.Close(r.emit)
	}
	return g.err
}

// reduce deals with the group that begins with the pair at hand.
func (g *groupRun[I, K, V, O]) reduce() error {
	g.group = append(g.group[:0], g.key...)
	g.prefix = len(g.run.bound.groupOf(g.group))
	g.first = true
	g.groups++
	k, err := g.decodeKey(g.group)
	if err == nil {
		err = g.run.placed(k)
	}
	if err == nil {
		n := g.calls.enter()
		g.run.w.gate.Open()
		if g.run.user.Pairs != nil {
			err = g.run.user.Pairs(g.pairs[n], g.run.emit)
		} else {
			err = g.run.user.Reduce(k, g.values[n], g.run.emit)
		}
		g.run.w.gate.Shut()
		g.calls.leave()
	}
	if g.err != nil { // the group ended early, which the user's code may have found wrong
		return g.err
	}
	if err == nil {
		err = g.run.goesOn()
	}
	for err == nil && g.within() { // what the user's code left unread
		g.advance()
	}
	return err
}

// within reports whether the pair at hand belongs to the group at hand.
func (g *groupRun[I, K, V, O]) within() bool {
	return g.ok && g.err == nil && (g.first || g.run.sameGroup(g.group[:g.prefix], g.key))
}

func (g *groupRun[I, K, V, O]) advance() {
	g.first = false
	if g.records++; g.run.a.Progress != nil && g.records&255 == 0 {
		g.run.a.Progress.Records.Store(g.records)
	}
	if g.key, g.v, g.ok, g.err = g.next(); g.err == nil {
		g.err = g.run.alive.Check()
	}
}

// valuesOf returns the i-th of the sequences that calls of Reduce are given in turn.
func (g *groupRun[I, K, V, O]) valuesOf(i int) iter.Seq[V] {
	return func(yield func(V) bool) {
		defer fault.Guard(fault.Guard(true)) // iter.Pull calls this in a goroutine of its own
		g.calls.begin(i)
		for mine := g.calls.now; g.within() && yield(g.v); g.advance() {
			g.calls.check(mine)
		}
	}
}

// pairsOf is valuesOf for values with their keys. A key is decoded once for all pairs in a row
// that have it.
func (g *groupRun[I, K, V, O]) pairsOf(i int) iter.Seq2[K, V] {
	var at []byte // of k
	return func(yield func(K, V) bool) {
		defer fault.Guard(fault.Guard(true))
		g.calls.begin(i)
		var k K
		known := false
		for mine := g.calls.now; g.within(); g.advance() {
			if !known || !bytes.Equal(at, g.key) {
				var err error
				at = append(at[:0], g.key...)
				if k, err = g.decodeKey(at); err != nil {
					fault.Throw(err)
				}
				known = true
			}
			if !yield(k, g.v) {
				return
			}
			g.calls.check(mine)
		}
	}
}

// sameGroup reports whether a key belongs to the group with that part in common.
func (r *reduceRun[I, K, V, O]) sameGroup(common, key []byte) bool {
	if r.bound.prefix == nil {
		return bytes.Equal(common, key)
	}
	return bytes.HasPrefix(key, common)
}
