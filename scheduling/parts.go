package scheduling

import "github.com/tarry-mr/tarry/scheduling/internal/core"

// Parts are parts of policies that a program brings along, by the names under which a Policy asks
// for them. Each is made anew for each Core, and again when a policy that names it takes the place
// of another.
//
// What a part is asked it must answer at once, and by what it is shown alone: no clock, no chance,
// no map order, or a replay differs. It may keep notes of its own; one with the method
//
//	Forget(JobID)
//
// is told when a job has ended. It may put any question to the View, and must not call the Core.
// Built-in parts are not restricted to these interfaces, and are faster: see docs/schedulers.md.
type Parts = core.Parts

// JobOrder says which job is next.
type JobOrder = core.JobOrder

// MapPlacement weighs waiting for a nearer node against launching a map here.
type MapPlacement = core.MapPlacement

// MapChooser is a MapPlacement that chooses the map itself, by what it knows besides places. One
// with the method
//
//	Launched(JobID)
//
// is told when the map that it chose last for a job has been launched: a choice may come to nothing
// where an order asks what a job would take.
type MapChooser = core.MapChooser

// MapOffer is a map slot that a job is offered.
type MapOffer = core.MapOffer

// ReducePlacement weighs waiting for a better node against launching a reduce here.
type ReducePlacement = core.ReducePlacement

// ReduceOffer is a reduce slot that a job is offered.
type ReduceOffer = core.ReduceOffer

// LoadManager tells whether a node may be given one more task of kind k, free slots apart; load is
// the number of tasks that the cluster could run, slots the cluster's. Hadoop's Fair Scheduler has
// the same extension point (mapred.fairscheduler.loadmanager).
type LoadManager = core.LoadManager

// TaskSelector picks which of a job's tasks to launch on a node that the policy has found for it.
// Index is the policy's own choice; a task that is not pending, or a map farther from its data than
// the policy allows now, leaves it at that. Hadoop: mapred.fairscheduler.taskselector.
type TaskSelector = core.TaskSelector

// Selection is the question put to a TaskSelector.
type Selection = core.Selection
