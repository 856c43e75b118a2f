package event

import "github.com/tarry-mr/tarry/scheduling/internal/model"

// Reason explains a decision. It is a plain value, so that recording it needs no allocation; its
// String method returns a sentence.
type Reason = model.Reason

// Cause is the kind of a Reason.
type Cause = model.Cause

// Causes that programs distinguish; the others matter only as text.
const (
	NoCause         = model.NoCause
	CausePreempted  = model.CausePreempted  // killed: a pool below its share claims the slot
	CauseFlowMoved  = model.CauseFlowMoved  // killed: the minimum-cost flow no longer places it here
	CauseForked     = model.CauseForked     // launched where the job would have waited, by Config.Fork
	CauseNoSlot     = model.CauseNoSlot     // waiting: no slot of the kind is free, or other jobs come first
	CauseSlowStart  = model.CauseSlowStart  // skipped: too few maps done
	CauseSlowTask   = model.CauseSlowTask   // launched: a speculative attempt of a slow task
	CauseSmallerJob = model.CauseSmallerJob // suspended, killed or waiting: a smaller job needs the slot
	// killed: another attempt finished the task, or the Core does not know this one
	CauseSuperseded = model.CauseSuperseded
)
