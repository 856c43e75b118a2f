package core

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tarry-mr/tarry/scheduling/internal/index"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
	"github.com/tarry-mr/tarry/scheduling/view"
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
	Farthest(q View, o MapOffer) model.Locality
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
	Choose(q View, o MapOffer) int32
}

// MapOffer is the offer of a map slot to a job.
type MapOffer struct {
	Job     model.JobID
	Node    model.NodeID
	Nearest model.Locality // minimum distance of the job's waiting maps from their data, if launched here; never AnyPlace
	Urgent  bool           // the order claims slots for the job: it should take any slot
	// Waiting yields the maps with a place that wait to be launched, ascending; valid during the
	// call.
	Waiting iter.Seq[int32]
	// Refused is the number of offers that the job has refused since its last node-local launch of
	// a map; Waited is the time since the first of these. Both are 0 if it has refused none.
	Refused int
	Waited  time.Duration
}

// ReducePlacement decides whether a job launches a reduce on the offered node or waits for a better
// one.
type ReducePlacement interface {
	// Place returns a reduce of the job to launch with this slot, one of o.Waiting, or -1 to refuse
	// the slot. A job whose slots are always refused never ends. View.Known, WTND, TND and Gravity
	// return facts about the reduces' inputs.
	Place(q View, o ReduceOffer) int32
}

// ReduceOffer is the offer of a reduce slot to a job.
type ReduceOffer struct {
	Job     model.JobID
	Node    model.NodeID
	Waiting iter.Seq[int32] // the reduces to launch, ascending; valid during the call
	Urgent  bool            // the order claims slots for the job: it should take any slot
	// Refused is the number of offers that the job has refused since its last launch of a reduce;
	// Waited is the time since the first of these. Both are 0 if it has refused none.
	Refused int
	Waited  time.Duration
}

// launcher is a part that the Core calls when a task that it chose has been launched.
type launcher interface{ Launched(id model.JobID) }

// forgetter is a part that the Core calls when a job has ended.
type forgetter interface{ Forget(id model.JobID) }

func forget(part any, id model.JobID) {
	if f, ok := part.(forgetter); ok {
		f.Forget(id)
	}
}

// part creates the part that the table has under name; what names its kind in errors.
func part[T any](table map[string]func() T, what, name string) (T, error) {
	if makes := table[name]; makes != nil {
		return makes(), nil
	}
	names := slices.Sorted(maps.Keys(table))
	if len(names) == 0 {
		names = []string{"none"}
	}
	var none T
	return none, fmt.Errorf("%w: no %s %q; Config.Parts has %s", ErrUnknownPolicy, what, name, strings.Join(names, ", "))
}

// refusals counts a job's refused slots for a custom part.
type refusals struct {
	count int
	since time.Duration // time of the first
}

// external is the common part of the adapters of custom placements. It counts each job's refused
// offers, which a custom placement gets as Refused and Waited.
type external struct {
	c    *Core
	name string
	part any
	of   Records[refusals]
}

// adopt takes over the refusals of the former placement, if it had the same part.
func (a *external) adopt(former *external) {
	if former.name == a.name {
		a.of = slices.Clone(former.of)
	}
}

// refused returns how often a job has refused a slot, and the time since the first refusal.
func (a *external) refused(j *Job) (count int, waited time.Duration) {
	r := a.of.Of(j)
	if r.count == 0 {
		return 0, 0
	}
	return r.count, a.c.Now - r.since
}

func (a *external) Refused(j *Job) {
	r := a.of.Of(j)
	if r.count == 0 {
		r.since = a.c.Now
	}
	r.count++
}

func (a *external) Begin()            {}
func (a *external) CountsSlots() bool { return true }

func (a *external) Remove(j *Job) {
	a.of.Remove(j)
	forget(a.part, j.ID)
}

func (a *external) View(j *Job) (view.Locality, time.Duration) {
	count, waited := a.refused(j)
	return view.Locality{Skips: count, Wait: waited, Skipped: count > 0}, 0
}

// walk yields the tasks of a set, ascending.
func walk(set *index.TaskSet) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for i := set.First(); i >= 0 && yield(i); {
			i = set.Next(i)
		}
	}
}
