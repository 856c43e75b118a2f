package cluster

import "github.com/tarry-mr/tarry/mapreduce/internal/attempt"

// DebugOptions are the options of [Plan.Debug]; the zero value is useful.
type DebugOptions struct {
	// Within is the tolerance for floats when results of Combine are compared, relative to the
	// larger one, 0 <= Within < 1, since a sum of floats depends on the order. 0 means none.
	Within float64
	// Interrupt, if not nil, is called before each record of a map attempt or group of a reduce
	// attempt, and before the end of either. Its error ends the attempt like one of user code. n
	// counts the calls from 1, for each file of a split. Attempts may call it at the same time. Use
	// it to test jobs whose attempts fail.
	Interrupt func(id attempt.ID, n int64) error
}

// Debug makes the attempts of the plan check the user's functions for mistakes that otherwise go
// unnoticed. Call it before the plan runs, in RunLocal or on a cluster. It costs some tens of
// microseconds for each record and emit, to identify goroutines; a plan without it pays nothing.
//
//   - Map and Reduce get copies of byte slices, which are overwritten with memory.Poison when their
//     lifetime ends: a retained slice becomes visible, and emitting it unchanged is an error.
//   - A Map that changes its record ends the attempt.
//   - Calling emit from another goroutine, or after the call to which it was passed, ends the
//     attempt, with the file and line of the call; what is emitted there is dropped.
//   - Combine is called again with the same arguments, with them swapped and with others of the
//     same key: it must be deterministic, commutative and associative.
//
// Data behind pointers is not checked, and neither are the records that Plan.Prepare samples for a
// total order.
func (p *Plan) Debug(o DebugOptions) {
	p.job.watched = true
	p.tasks.Watch(o)
}
