package core

import (
	"iter"
	"time"

	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

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
type Parts struct {
	Orders  map[string]func() JobOrder        // for Policy.Order
	Maps    map[string]func() MapPlacement    // for LocalityPolicy.Part
	Reduces map[string]func() ReducePlacement // for ReducePolicy.Part
}

// JobOrder chooses the next job.
type JobOrder interface {
	// Rank returns the rank of a job that has a task of kind k to launch. The job with the lowest
	// rank is offered a free slot first; among equals, the older one. NaN counts as +Inf. Rank is
	// called for all such jobs whenever a slot is offered.
	Rank(q View, id model.JobID, k model.TaskKind) float64
}

// MapPlacement decides whether a job launches a map on the offered node or waits for a nearer one.
type MapPlacement interface {
	// Farthest returns the maximum distance from its data at which a map of the job may be launched
	// with this slot: NodeLocal, RackLocal, … or AnyPlace for anywhere. If it is at least
	// o.Nearest, the nearest map is launched; otherwise the slot is refused. Farthest is not called
	// for a job whose maps have no place.
	Farthest(q View, o Offer) model.Locality
}

// MapChooser is a MapPlacement that chooses the map itself, not only by locality. If it has the
// method
//
//	Launched(JobID)
//
// the Core calls it when the map that it last chose for a job has been launched. Not every choice
// is launched, since an order may only ask what a job would choose.
type MapChooser interface {
	MapPlacement
	// Choose returns a map of the job to launch with this slot, one of o.Waiting, or -1 to refuse
	// the slot. It is called instead of Farthest.
	Choose(q View, o Offer) int32
}

// ReducePlacement decides whether a job launches a reduce on the offered node or waits for a better
// one.
type ReducePlacement interface {
	// Place returns a reduce of the job to launch with this slot, one of o.Waiting, or -1 to refuse
	// the slot. A job whose slots are always refused never ends. View.Known, WTND, TND and Gravity
	// return facts about the reduces' inputs.
	Place(q View, o Offer) int32
}

// Offer is the offer of a slot to a job that has tasks of the slot's kind to launch.
type Offer struct {
	Job     model.JobID
	Node    model.NodeID
	Nearest model.Locality // maps: minimum distance of the waiting ones from their data, if launched here; never AnyPlace
	Urgent  bool           // the order claims slots for the job: it should take any slot
	// Waiting yields the tasks that wait to be launched, ascending: reduces, or maps with a place.
	// It is valid during the call.
	Waiting iter.Seq[int32]
	// Refused is the number of offers that the job has refused since its last launch of a reduce
	// or, for maps, its last node-local one; Waited is the time since the first of these. Both are
	// 0 if it has refused none.
	Refused int
	Waited  time.Duration
}
