package scheduling

import "github.com/tarry-mr/tarry/scheduling/internal/core"

// Parts are custom parts of policies, by the names that a Policy uses for them. The Core calls each
// constructor when it is created, and when a new policy that names the part replaces another.
//
// A part must answer at once and depend only on its arguments: with a clock, random numbers or map
// order, replays differ. It may keep state of its own. If it has the method
//
//	Forget(JobID)
//
// the Core calls it when a job has ended. A part may ask the View any question but must not call
// the Core. Built-in parts do not have these restrictions and are faster: see docs/schedulers.md.
type Parts = core.Parts

// JobOrder chooses the next job.
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

// MapOffer is the offer of a map slot to a job.
type MapOffer = core.MapOffer

// ReducePlacement decides whether a job launches a reduce on the offered node or waits for a better
// one.
type ReducePlacement = core.ReducePlacement

// ReduceOffer is the offer of a reduce slot to a job.
type ReduceOffer = core.ReduceOffer

// LoadManager reports whether a node may get one more task of kind k, apart from its free slots.
// load is the number of tasks that the cluster could run, slots the number of its slots. It is
// Hadoop's extension point mapred.fairscheduler.loadmanager.
type LoadManager = core.LoadManager

// TaskSelector picks the task of a job to launch on a node that the policy has chosen for it. Index
// is the policy's own choice. It is used if the returned task is not pending, or is a map farther
// from its data than the policy allows now. Hadoop: mapred.fairscheduler.taskselector.
type TaskSelector = core.TaskSelector

// Selection is the argument of a TaskSelector.
type Selection = core.Selection
