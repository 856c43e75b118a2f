package cluster

import "github.com/tarry-mr/tarry/mapreduce/internal/attempt"

// DebugOptions are choices for [Plan.Debug]; the zero value is useful.
type DebugOptions struct {
	// Within is by how much floats may differ where results of Combine are compared, relative to
	// the larger one, 0 <= Within < 1: a sum of floats depends on the order. 0 means not at all.
	Within float64
	// Interrupt, if not nil, is asked before each record of a map attempt, before each group of a
	// reduce attempt and before the end of either; an error ends the attempt as one of the user's
	// code would. n counts these calls from 1, anew for each file of a split. It is called by many
	// attempts at once. It serves tests of jobs whose attempts fail.
	Interrupt func(id attempt.ID, n int64) error
}

// Debug has the attempts of the plan watch the user's functions for what would be wrong in silence;
// it is to be called before the plan runs, in RunLocal or on a cluster. It costs some tens of
// microseconds for each record and emit, to tell goroutines apart; a plan without it pays nothing.
//
//   - Byte slices that Map and Reduce are given are copies, which are overwritten with
//     memory.Poison when
//     their lifetime ends: what was kept shows as such, and is an error if it is emitted as it is.
//   - A Map that changes its record ends the attempt.
//   - emit called from another goroutine, or after the call that it was given to, ends the attempt,
//     with the file and line of the call; what is emitted so is left out.
//   - Combine is called again with its arguments, with them exchanged and with others of the same
//     key: it must be a function of them, commutative and associative.
//   - Partition is called twice for a key.
//
// What pointers lead to is not looked at. The records that Plan.Prepare reads ahead for a total
// order are not watched.
func (p *Plan) Debug(o DebugOptions) {
	p.watched = true
	p.tasks.Watch(o)
}
