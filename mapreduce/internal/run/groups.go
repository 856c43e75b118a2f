package run

import (
	"bytes"

	"github.com/tarry-mr/tarry/mapreduce/counter"
)

// reduceGroups calls the user's Reduce for each group of pairs, which next returns in key order.
func (r *Groups) reduceGroups(next func() ([]byte, bool, error)) error {
	if r.job.identity() {
		return r.pass(next)
	}
	r.next, r.placed = next, r.job.placeChecker(r.reduces, r.a.Index)
	defer func() {
		r.c.Add(counter.ReduceInputRecords, r.read)
		r.c.Add(counter.ReduceInputGroups, r.begun)
	}()
	r.Key, r.ok, r.Err = next()
	for r.ok && r.Err == nil {
		if err := r.reduceGroup(); err != nil {
			return err
		}
	}
	if r.Err == nil && r.code.Close != nil {
		r.w.Gate.Open()
		r.Err = r.code.Close()
	}
	return r.Err
}

// reduceGroup calls the user's Reduce for the group that begins with the current pair.
func (r *Groups) reduceGroup() error {
	r.Group = append(r.Group[:0], r.Key...)
	r.prefix = len(r.job.groupOf(r.Group))
	r.first = true
	r.begun++
	var err error
	if r.placed != nil {
		err = r.placed(r.Group)
	}
	if err == nil {
		sequence := r.calls.enter()
		r.w.Gate.Open()
		err = r.code.Call(r, sequence)
		r.w.Gate.Shut()
		r.calls.leave()
	}
	if r.Err != nil { // the group ended early, so an error of the user's code means nothing
		return r.Err
	}
	if err == nil {
		err = r.checkStop()
	}
	for err == nil && r.Within() { // skip values that the user's code did not read
		r.Advance()
	}
	return err
}

// Within reports whether the current pair belongs to the current group.
func (r *Groups) Within() bool {
	return r.ok && r.Err == nil && (r.first || r.sameGroup())
}

// Advance reads the next pair; Err has the error.
func (r *Groups) Advance() {
	r.first = false
	if r.read++; r.a.Progress != nil && r.read&255 == 0 {
		r.a.Progress.Records.Store(r.read)
	}
	if r.Key, r.ok, r.Err = r.next(); r.Err == nil {
		r.Err = r.alive.Check()
	}
}

// sameGroup reports whether the current key belongs to the current group.
func (r *Groups) sameGroup() bool {
	if r.job.prefix == nil {
		return bytes.Equal(r.Group, r.Key)
	}
	return bytes.HasPrefix(r.Key, r.Group[:r.prefix])
}

// Begin begins the range of user code over the group's values, in the sequence with that index. It
// returns the number of the call, for Check. It panics if the sequence is of another call, or was
// ranged over.
func (r *Groups) Begin(sequence int) (call int) {
	r.calls.begin(sequence)
	return r.calls.now
}

// Check panics unless the call of that number is still running.
func (r *Groups) Check(call int) { r.calls.check(call) }
