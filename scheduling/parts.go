package scheduling

import "github.com/tarry-mr/tarry/scheduling/internal/core"

// Parts are a program's own parts of policies, by the names that a Policy uses for them. The Core
// calls the constructor of a part when a policy that names it is applied.
//
// A part must answer at once and depend only on its arguments: with a clock, random numbers or map
// order, replays differ. It may keep state of its own. If it has the method
//
//	Forget(JobID)
//
// the Core calls it when a job has ended. A part may ask the View any question but must not call
// the Core. Built-in parts do not have these restrictions and are faster: see docs/schedulers.md.
type Parts = core.Parts

// JobOrder ranks the jobs: which one is offered a free slot first.
type JobOrder = core.JobOrder

// MapPlacement decides whether a job launches a map on the offered node or waits for a nearer one.
type MapPlacement = core.MapPlacement

// MapChooser is a MapPlacement that chooses the map itself, not only by locality. If it has the
// method
//
//	Launched(JobID)
//
// the Core calls it when the map that it last chose for a job has been launched. Not every choice
// is launched, since an order may only ask what a job would choose.
type MapChooser = core.MapChooser

// ReducePlacement decides whether a job launches a reduce on the offered node or waits for a better
// one.
type ReducePlacement = core.ReducePlacement

// Offer is the offer of a slot to a job that has tasks of the slot's kind to launch.
type Offer = core.Offer
