package simulator

import (
	"encoding/json"
	"time"

	"github.com/tarry-mr/tarry/scheduling"
)

// Sojourn summarizes times from arrival to end, in seconds.
type Sojourn struct {
	Mean   float64 `json:"mean"`
	Median float64 `json:"median"`
	P95    float64 `json:"p95"`
}

// ByDistance counts by the distance from the data.
type ByDistance[N int | int64] struct {
	NodeLocal N `json:"node_local"`
	RackLocal N `json:"rack_local"`
	OffRack   N `json:"off_rack"`
}

// MapPlaces counts finished maps, except maps without a location.
type MapPlaces = ByDistance[int]

// ShuffleBytes counts the bytes of finished reduces' inputs.
type ShuffleBytes = ByDistance[int64]

// Add adds other counts.
func (d *ByDistance[N]) Add(e ByDistance[N]) {
	d.NodeLocal += e.NodeLocal
	d.RackLocal += e.RackLocal
	d.OffRack += e.OffRack
}

// Count adds n at a distance; a negative distance, that of tasks without a location, is not
// counted.
func (d *ByDistance[N]) Count(l scheduling.Locality, n N) {
	switch {
	case l < 0:
	case l == scheduling.NodeLocal:
		d.NodeLocal += n
	case l == scheduling.RackLocal:
		d.RackLocal += n
	default:
		d.OffRack += n
	}
}

// Links returns the counts times the links that they cross: 0 on a node, 2 in a rack, 4 beyond.
// For bytes it is the weighted total network distance, WTND [Hammoud12].
func (d ByDistance[N]) Links() N { return 2*d.RackLocal + 4*d.OffRack }

// All returns the sum.
func (d ByDistance[N]) All() N { return d.NodeLocal + d.RackLocal + d.OffRack }

// Share returns the fraction of All that is at distance l or nearer, 0 to 1; 1 if All is 0.
func (d ByDistance[N]) Share(l scheduling.Locality) float64 {
	all := d.All()
	if all == 0 || l >= scheduling.OffRack {
		return 1
	}
	n := d.NodeLocal
	if l >= scheduling.RackLocal {
		n += d.RackLocal
	}
	return float64(n) / float64(all)
}

// Utilization is the fraction of the slots' time, from the first arrival to the last end, in which
// tasks held them; for a class, the part that its finished tasks held.
type Utilization struct {
	Map    float64 `json:"map"`
	Reduce float64 `json:"reduce"`
}

// Preempted counts attempts killed or suspended to free slots, and the work lost by kills, in
// seconds.
type Preempted struct {
	Killed    int     `json:"killed"`
	Suspended int     `json:"suspended"`
	LostS     float64 `json:"lost_s"`
}

// Copies counts the speculative attempts, those that ended before the first attempt, and the work
// of overtaken attempts, in seconds.
type Copies struct {
	Launched int     `json:"launched"`
	Won      int     `json:"won"`
	SpentS   float64 `json:"spent_s"`
}

// Figures summarizes a set of jobs. Numbers are rounded to microseconds and millionths, so that
// they print the same on every machine.
type Figures struct {
	Jobs      int     `json:"jobs"` // that ended
	MakespanS float64 `json:"makespan_s"`
	// Sojourn summarizes the jobs' times from arrival to end, in seconds.
	Sojourn Sojourn   `json:"sojourn_s"`
	Maps    MapPlaces `json:"maps"`
	// InMemory counts those of Maps whose block was in their node's memory.
	InMemory MapPlaces    `json:"in_memory,omitzero"`
	Shuffle  ShuffleBytes `json:"shuffle_bytes"`
	// FairnessJain is Jain's index (sum x)²/(n sum x²) of the jobs' speeds x = time alone on an
	// idle cluster / sojourn: 1 if all jobs are slowed down equally, 1/n at worst.
	FairnessJain float64     `json:"fairness_jain"`
	Utilization  Utilization `json:"utilisation"`
	Preempted    Preempted   `json:"preempted"`
	Copies       Copies      `json:"copies,omitzero"` // with speculation
}

// Report has the figures of all jobs and of each class. In JSON it is one object; the same
// simulation gives the same bytes.
type Report struct {
	Figures
	ByClass []ClassFigures `json:"-"`
}

// ClassFigures are the figures of the jobs with the same workload.Job.Class.
type ClassFigures struct {
	Class string
	Figures
}

// MarshalJSON returns the figures of all jobs, with those of each class under by_class.
func (r Report) MarshalJSON() ([]byte, error) {
	by := make(map[string]Figures, len(r.ByClass))
	for _, c := range r.ByClass {
		by[c.Class] = c.Figures
	}
	return json.Marshal(struct {
		Figures
		ByClass map[string]Figures `json:"by_class"`
	}{r.Figures, by})
}

// JobResult is the result of a job. Times are since the start of the simulation.
type JobResult struct {
	Name, Class, User, Pool string
	ID                      scheduling.JobID
	Arrived, Ended          time.Duration
	Done                    bool // ended before the simulation did
	Failed                  bool
	Tasks                   [2]int // maps, reduces
	Maps                    MapPlaces
	InMemory                MapPlaces // those of Maps whose block was in memory
	Shuffle                 ShuffleBytes
	Largest                 int64 // bytes of the largest input of a reduce
	// TND is the total network distance of its finished reduces [Hammoud12]: the links, as Links
	// counts them, from each map output to the reduce.
	TND       int64
	Alone     time.Duration    // estimated duration on an idle cluster, all maps node-local
	Busy      [2]time.Duration // that its finished tasks held slots
	Preempted Preempted
	Copies    Copies
}

// Sojourn returns the time from arrival to end.
func (j *JobResult) Sojourn() time.Duration { return j.Ended - j.Arrived }

// Stats counts the work of a simulation.
type Stats struct {
	Events     uint64 // taken from the event queue
	Heartbeats uint64 // calls of Core.Heartbeat
	Decisions  uint64 // actions performed: launches, kills, suspensions, resumptions
}

// Sample is the state of the jobs and links at one time of the simulation.
type Sample struct {
	At    time.Duration
	Jobs  []JobSlots // that held slots or, with Config.SampleQueues, are open; in order of the workload
	Links Traffic    // with Config.SampleQueues and Network.Flows
}

// Traffic is the load of the links, in bytes per second.
type Traffic struct {
	Nodes   float64 // between nodes
	Uplinks float64 // of these, between racks
	Busiest float64 // used fraction of the busiest link's capacity, 0 to 1
}

// JobSlots is the state of a job in a Sample. All but the first two are with Config.SampleQueues.
type JobSlots struct {
	Job     int    // index in the workload
	Slots   [2]int // map and reduce slots that it holds
	Pool    string // or queue
	Waiting [2]int // tasks
	// Share is the fair share in map and reduce slots, NaN if the policy has none.
	Share [2]float64
}

// Result is the outcome of Run.
type Result struct {
	Report Report
	// Jobs are in the order of the workload; Arrived and Ended are 0 for jobs that never arrived.
	Jobs    []JobResult
	Samples []Sample
	Stats   Stats
	End     time.Duration // when the simulation ended
	Slots   [2]int        // map and reduce slots of the cluster

	busy [2]time.Duration
}
