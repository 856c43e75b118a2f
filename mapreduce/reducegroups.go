package mapreduce

import (
	"bytes"

	"github.com/tarry-mr/tarry/mapreduce/counter"
)

// groupStream is a stream of pairs in key order, divided into groups: keys that are equal, or agree
// in Job.GroupFields. The current value is in reduceRun.value.
type groupStream struct {
	run  *reduceRun
	next func() (key []byte, ok bool, err error)
	// placed, if not nil, returns an error for a key that belongs to another reduce.
	placed func(key []byte) error

	// The current pair, from next.
	key []byte
	ok  bool
	err error

	group  []byte // the first key of the current group
	prefix int    // length of the prefix that the keys of the group share
	first  bool   // the current pair is the group's first

	calls           callCount
	records, groups int64
}

// groups calls the user's Reduce for each group of pairs, which next returns in key order.
func (r *reduceRun) groups(next func() ([]byte, bool, error)) error {
	if r.bound.identity() {
		return r.pass(next)
	}
	g := &groupStream{run: r, next: next, placed: r.bound.placeChecker(r.reduces, r.a.Index)}
	defer func() {
		r.c.Add(counter.ReduceInputRecords, g.records)
		r.c.Add(counter.ReduceInputGroups, g.groups)
	}()
	g.key, g.ok, g.err = next()
	for g.ok && g.err == nil {
		if err := g.reduce(); err != nil {
			return err
		}
	}
	if g.err == nil && r.code.close != nil {
		r.w.gate.Open()
		g.err = r.code.close()
	}
	return g.err
}

// reduce calls the user's Reduce for the group that begins with the current pair.
func (g *groupStream) reduce() error {
	g.group = append(g.group[:0], g.key...)
	g.prefix = len(g.run.bound.groupOf(g.group))
	g.first = true
	g.groups++
	var err error
	if g.placed != nil {
		err = g.placed(g.group)
	}
	if err == nil {
		sequence := g.calls.enter()
		g.run.w.gate.Open()
		err = g.run.code.call(g, sequence)
		g.run.w.gate.Shut()
		g.calls.leave()
	}
	if g.err != nil { // the group ended early, so an error of the user's code means nothing
		return g.err
	}
	if err == nil {
		err = g.run.checkStop()
	}
	for err == nil && g.within() { // skip values that the user's code did not read
		g.advance()
	}
	return err
}

// within reports whether the current pair belongs to the current group.
func (g *groupStream) within() bool {
	return g.ok && g.err == nil && (g.first || g.sameGroup())
}

func (g *groupStream) advance() {
	g.first = false
	if g.records++; g.run.a.Progress != nil && g.records&255 == 0 {
		g.run.a.Progress.Records.Store(g.records)
	}
	if g.key, g.ok, g.err = g.next(); g.err == nil {
		g.err = g.run.alive.Check()
	}
}

// sameGroup reports whether the current key belongs to the current group.
func (g *groupStream) sameGroup() bool {
	if g.run.bound.prefix == nil {
		return bytes.Equal(g.group, g.key)
	}
	return bytes.HasPrefix(g.key, g.group[:g.prefix])
}
