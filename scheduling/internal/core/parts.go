package core

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tarry-mr/tarry/scheduling/internal/index"
)

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
type Parts struct {
	Orders  map[string]func() JobOrder        // asked for by Policy.Order
	Maps    map[string]func() MapPlacement    // asked for by LocalityPolicy.Part
	Reduces map[string]func() ReducePlacement // asked for by ReducePolicy.Part
}

// JobOrder chooses the next job.
type JobOrder interface {
	// Rank says where a job stands that has a task of kind k to launch: the job of least rank is
	// offered a free slot first, of equals the older one. NaN counts as +Inf. It is asked of all
	// such jobs whenever a slot is offered.
	Rank(q View, id JobID, k TaskKind) float64
}

// MapPlacement decides whether a job launches a map on the offered node or waits for a nearer one.
type MapPlacement interface {
	// Farthest is how far from its data a map of the job may be launched with this slot: NodeLocal,
	// RackLocal, … or AnyPlace for anywhere. With o.Nearest or more the nearest map is launched,
	// with less the slot is refused. A job whose maps have no place is not asked about.
	Farthest(q View, o MapOffer) Locality
}

// MapChooser is a MapPlacement that chooses the map itself, by what it knows besides places. One
// with the method
//
//	Launched(JobID)
//
// is told when the map that it chose last for a job has been launched: a choice may come to nothing
// where an order asks what a job would take.
type MapChooser interface {
	MapPlacement
	// Choose names a map of the job to launch with this slot, one of o.Waiting, or refuses the slot
	// with -1. It is asked in place of Farthest.
	Choose(q View, o MapOffer) int32
}

// MapOffer is the offer of a map slot to a job.
type MapOffer struct {
	Job     JobID
	Node    NodeID
	Nearest Locality // of the job's waiting maps to their data, if launched here; never AnyPlace
	Urgent  bool     // the order claims slots for the job: it should take what it gets
	// Waiting is the maps with a place that wait to be launched, ascending; valid during the call.
	Waiting iter.Seq[int32]
	// Refused is how many offers the job has refused since a map of it was last launched on its
	// data, and Waited how long ago the first of these was; both 0 if there were none.
	Refused int
	Waited  time.Duration
}

// ReducePlacement decides whether a job launches a reduce on the offered node or waits for a better
// one.
type ReducePlacement interface {
	// Place chooses a reduce of the job to launch with this slot, one of o.Waiting, or refuses the
	// slot with -1. A job that is refused for ever never ends. View.Known, WTND, TND and Gravity
	// tell of the reduces' inputs.
	Place(q View, o ReduceOffer) int32
}

// ReduceOffer is the offer of a reduce slot to a job.
type ReduceOffer struct {
	Job     JobID
	Node    NodeID
	Waiting iter.Seq[int32] // the reduces to be launched, ascending; valid during the call
	Urgent  bool            // the order claims slots for the job: it should take what it gets
	// Refused is how many offers the job has refused since its last launch of a reduce, and Waited
	// how long ago the first of these was; both 0 if there were none.
	Refused int
	Waited  time.Duration
}

// launcher is a part that is told when its choice was launched.
type launcher interface{ Launched(id JobID) }

// forgetter is a part that is told when a job has ended.
type forgetter interface{ Forget(id JobID) }

func forget(part any, id JobID) {
	if f, ok := part.(forgetter); ok {
		f.Forget(id)
	}
}

// part finds a part by name.
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

// refusals is what is kept of a job for a part that may refuse slots.
type refusals struct {
	count int
	since time.Duration // of the first
}

func (r *refusals) add(now time.Duration) {
	if r.count == 0 {
		r.since = now
	}
	r.count++
}

// waited is how long ago the first refusal was.
func (r *refusals) waited(now time.Duration) time.Duration {
	if r.count == 0 {
		return 0
	}
	return now - r.since
}

// walk gives the tasks of a set, ascending.
func walk(set *index.TaskSet) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for i := set.First(); i >= 0 && yield(i); {
			i = set.Next(i)
		}
	}
}
