package actors

import (
	"time"

	"github.com/tarry-mr/tarry/mapreduce/counter"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/event"
)

// Event is what the scheduling.Core says happened and, for attempts and jobs that have
// ended, what a live run knows besides. As JSON it is one flat object.
type Event struct {
	event.Event

	// Phases of an attempt that succeeded or failed.
	Phases *Phases `json:"phases,omitempty"`

	// Counters of an attempt that succeeded, or of a job that ended. They must not be
	// changed.
	Counters *counter.Set `json:"counters,omitempty"`
}

// Phases are the times of an attempt, in nanoseconds as JSON.
type Phases struct {
	Start   time.Duration `json:"start"`             // of the attempt, since the cluster's start
	Wait    time.Duration `json:"wait,omitempty"`    // for a turn to compute, see Config.Parallelism
	Read    time.Duration `json:"read,omitempty"`    // a map's, of its split over the emulated network
	Shuffle time.Duration `json:"shuffle,omitempty"` // a reduce's, until it had all segments
	Work    time.Duration `json:"work"`              // the rest: map, or merge and reduce
	Commit  time.Duration `json:"commit,omitempty"`
}

// tellBeginning is the first event of a cluster: what it is, and since when.
func (e *env) tellBeginning(p *scheduling.Policy) {
	if e.cfg.Events == nil {
		return
	}
	e.tell([]Event{{Event: event.Event{
		At: e.facts.Now, Type: event.Began, Node: scheduling.NoNode, Name: p.Name, Policy: p,
		Began: &event.Header{
			Schema: event.Schema, Wall: e.start.UTC().Round(0), Seed: e.cfg.Seed, Heartbeat: e.cfg.HeartbeatInterval,
			Expiry: e.cfg.Expiry, Nodes: e.cfg.Nodes, Racks: e.cfg.Racks,
		},
	}}})
}
