package mapreduce

import (
	"bytes"

	"github.com/tarry-mr/tarry/mapreduce/counter"
)

// groups calls the user's Reduce for each group of pairs, which next returns in key order.
func (r *reduceRun) groups(next func() ([]byte, bool, error)) error {
	if r.bound.identity() {
		return r.pass(next)
	}
	r.next, r.placed = next, r.bound.placeChecker(r.reduces, r.a.Index)
	defer func() {
		r.c.Add(counter.ReduceInputRecords, r.read)
		r.c.Add(counter.ReduceInputGroups, r.begun)
	}()
	r.key, r.ok, r.err = next()
	for r.ok && r.err == nil {
		if err := r.reduceGroup(); err != nil {
			return err
		}
	}
	if r.err == nil && r.code.close != nil {
		r.w.gate.Open()
		r.err = r.code.close()
	}
	return r.err
}

// reduceGroup calls the user's Reduce for the group that begins with the current pair.
func (r *reduceRun) reduceGroup() error {
	r.group = append(r.group[:0], r.key...)
	r.prefix = len(r.bound.groupOf(r.group))
	r.first = true
	r.begun++
	var err error
	if r.placed != nil {
		err = r.placed(r.group)
	}
	if err == nil {
		sequence := r.calls.enter()
		r.w.gate.Open()
		err = r.code.call(r, sequence)
		r.w.gate.Shut()
		r.calls.leave()
	}
	if r.err != nil { // the group ended early, so an error of the user's code means nothing
		return r.err
	}
	if err == nil {
		err = r.checkStop()
	}
	for err == nil && r.within() { // skip values that the user's code did not read
		r.advance()
	}
	return err
}

// within reports whether the current pair belongs to the current group.
func (r *reduceRun) within() bool {
	return r.ok && r.err == nil && (r.first || r.sameGroup())
}

func (r *reduceRun) advance() {
	r.first = false
	if r.read++; r.a.Progress != nil && r.read&255 == 0 {
		r.a.Progress.Records.Store(r.read)
	}
	if r.key, r.ok, r.err = r.next(); r.err == nil {
		r.err = r.alive.Check()
	}
}

// sameGroup reports whether the current key belongs to the current group.
func (r *reduceRun) sameGroup() bool {
	if r.bound.prefix == nil {
		return bytes.Equal(r.group, r.key)
	}
	return bytes.HasPrefix(r.key, r.group[:r.prefix])
}

// begin begins the range of user code over the group's values, in the sequence with that index. It
// returns the number of the call, for check. It panics if the sequence is of another call, or was
// ranged over.
func (r *reduceRun) begin(sequence int) (call int) {
	r.calls.begin(sequence)
	return r.calls.now
}

// check panics unless the call of that number is still running.
func (r *reduceRun) check(call int) { r.calls.check(call) }
