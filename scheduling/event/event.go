// Package event has the events that a scheduling Core emits: what it did or learned, and why.
// docs/events.md describes them.
package event

import (
	"fmt"
	"time"

	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// Type is the type of an Event.
type Type uint8

// The events, version 2; docs/events.md describes each field. The comments name the fields that are
// set besides At, Type and, where it applies, JobID, Kind and Attempt. Fields in brackets are set
// only with Config.Explain.
const (
	Joined       Type = iota + 1 // Node, NodeName, Rack, Slots
	Lost                         // Node, NodeName: silent for too long, left, or restarted
	Submitted                    // Name, User, Pool, Tasks, Priority, Bytes, Gate, Width, [Places]
	Launched                     // Node, Locality, Reason, Slot; Placed for reduces
	Succeeded                    // Node, Held; for maps also Bytes, [Output]
	Failed                       // Node, Err, Reason, Held
	Killed                       // Node, Reason, Held
	Suspended                    // Node, Reason
	Resumed                      // Node, Slot, Held
	Skipped                      // Kind, Node, Reason, Until, Level, Count; reduces: Placed, the preferred node
	Shares                       // Pool or JobID, Shares, Demand, Running, Min, Max, Virtual
	Need                         // Pool, Kind, Need: slots that the pool may claim by preemption
	Warning                      // Err
	Priority                     // Name: the new priority
	Pool                         // Pool: the new pool
	Finished                     // State, Err
	OutputLost                   // Attempt: the one that wrote the lost output; its map reruns
	Reconfigured                 // Name: of the policy; Policy
	ReloadFailed                 // Err: changed configuration files were not applied
	Avoided                      // Node, Reason: the Core launches no tasks of JobID, or of any job, on the node
	Admitted                     // Node, Reason: tasks are launched there as before
	Began                        // Began, Policy; the Core's driver emits it as the first event
	Cordoned                     // Node, State: "cordoned" or "open"
	Progress                     // [Node, Progress], at each quarter of the attempt's work
	Victim                       // Node, Reason: PreemptLog reports what PreemptOn would kill
)

// Schema is the version of the events. It changes when a program written for the former version
// would misread them.
const Schema = 2

var eventNames = [...]string{
	"", "joined", "lost", "submitted", "launched", "succeeded", "failed", "killed", "suspended",
	"resumed", "skipped", "shares", "need", "warning", "priority", "pool", "finished", "output-lost", "reconfigured",
	"reload-failed", "avoided", "admitted", "began", "cordoned", "progress", "victim",
}

// String returns the event's name in lower case.
func (t Type) String() string { return eventNames[t] }

// MarshalText returns the event's name.
func (t Type) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText parses an event's name.
func (t *Type) UnmarshalText(text []byte) error {
	return model.ParseWord(t, eventNames[:], 1, "event", text)
}

// Header describes a run in its first event: program, seed, heartbeat interval, numbers of nodes.
type Header struct {
	Schema  int    `json:"schema"`            // the constant Schema
	Program string `json:"program,omitempty"` // name and version
	// Wall is the time of day at At 0; zero for simulations, which run in virtual time.
	Wall      time.Time     `json:"wall,omitzero"`
	Simulated bool          `json:"simulated,omitempty"`
	Seed      uint64        `json:"seed"`
	Heartbeat time.Duration `json:"heartbeat,omitempty"` // interval of the nodes, in nanoseconds
	Expiry    time.Duration `json:"expiry,omitempty"`    // in nanoseconds; 0: 10 minutes
	Nodes     int           `json:"nodes"`               // number of nodes that join at the beginning
	Racks     int           `json:"racks"`
	// Drive tells when a simulation's JobTracker learns of a free slot: "" means at once,
	// "heartbeat" with its node's next heartbeat, "out-of-band" also when a task ends.
	Drive string `json:"drive,omitempty"`
}

// Event is one thing that the Core did or learned. Live runs, histories and simulations share one
// schema. In JSON an event is one line, with times in nanoseconds. A pair has the number of maps
// first, then of reduces. Zero fields are omitted except at, type and node.
type Event struct {
	At       time.Duration   `json:"at"` // since the cluster's start
	Type     Type            `json:"type"`
	JobID    model.JobID     `json:"job,omitempty"`
	Attempt  model.AttemptID `json:"attempt,omitzero"`
	Kind     model.TaskKind  `json:"kind,omitempty"` // 0 map, 1 reduce
	Node     model.NodeID    `json:"node"`           // NoNode if none
	NodeName string          `json:"node_name,omitempty"`
	Rack     string          `json:"rack,omitempty"`
	Locality model.Locality  `json:"-"`                  // of a map's attempt
	Near     string          `json:"locality,omitempty"` // Locality in words, if known; set by the Core
	Reason   model.Reason    `json:"reason,omitzero"`
	Until    time.Duration   `json:"until,omitempty"`    // when a skip's reason ends by itself
	Slot     int             `json:"slot,omitempty"`     // its first number among the node's slots of the kind, from 1
	Level    string          `json:"level,omitempty"`    // of a skip: how far from its data the job may launch now
	Count    int             `json:"count,omitempty"`    // of a skip: number of skips for this reason and level so far
	Held     time.Duration   `json:"held,omitempty"`     // how long the attempt was suspended so far
	Progress float64         `json:"progress,omitempty"` // 0 to 1
	Placed   *Placed         `json:"placed,omitempty"`
	Name     string          `json:"name,omitempty"`
	User     string          `json:"user,omitempty"`
	Pool     string          `json:"pool,omitempty"` // or queue
	Priority string          `json:"priority,omitempty"`
	Slots    [2]int          `json:"slots,omitzero"`
	Tasks    [2]int          `json:"tasks,omitzero"`
	Bytes    int64           `json:"bytes,omitempty"`  // of a job's input, 0 if unknown; of a map's output
	Output   []int64         `json:"output,omitempty"` // bytes of a map's output, by reduce; owned by the Core, read-only
	Places   *InputPlaces    `json:"places,omitempty"`
	Gate     float64         `json:"slow_start,omitempty"` // JobSpec.SlowStart of a job that sets its own
	Width    int             `json:"width,omitempty"`      // slots per task of a job, if more than 1
	Shares   [2]float64      `json:"shares,omitzero"`      // fair shares in slots; of a queue its capacity
	Demand   [2]int          `json:"demand,omitzero"`      // tasks that could run now
	Running  [2]int          `json:"running,omitzero"`     // attempts
	Min      [2]int          `json:"min,omitzero"`         // slots
	Max      [2]int          `json:"max,omitzero"`         // slots; 0: no maximum, -1: none allowed
	Virtual  [2]Projected    `json:"virtual,omitzero"`     // of a job, under hfsp
	Need     int             `json:"need,omitempty"`
	State    string          `json:"state,omitempty"`
	Err      string          `json:"err,omitempty"`
	Began    *Header         `json:"began,omitempty"`
	Policy   *model.Policy   `json:"policy,omitempty"` // with all defaults set; read-only
}

// Projected is a job's progress in the virtual cluster of hfsp, as in view.Virtual.
type Projected struct {
	Left   time.Duration `json:"left,omitempty"`
	Slots  float64       `json:"slots,omitempty"`
	Finish time.Duration `json:"finish,omitempty"`
}

// String returns a line of text for people.
func (e Event) String() string {
	s := fmt.Sprintf("%v %v", e.At, e.Type)
	switch {
	case e.Attempt != (model.AttemptID{}):
		s += " " + e.Attempt.String()
	case e.JobID != 0:
		s += " " + e.JobID.String()
	}
	if e.NodeName != "" {
		s += " on " + e.NodeName
	}
	if e.Type == Reconfigured {
		s += ": policy " + e.Name
	}
	if e.Type == Launched && e.Near != "" {
		s += " " + e.Near
	}
	if why := e.Why(); why != "" {
		s += ": " + why
	}
	if e.Err != "" {
		s += ": " + e.Err
	}
	return s
}

// Why returns the reason in words. For a reduce placed by its input it includes how much worse its
// node is than the center, for example "near enough: +2.0 % over node-15".
func (e Event) Why() string {
	why := e.Reason.String()
	worse := e.Placed.worse()
	switch {
	case worse == "" && e.Placed != nil && e.Placed.Center != "" && e.Reason.Cause == model.CauseWaited:
		return "at its preferred node: " + why // which had a slot only after the wait
	case worse == "":
		return why
	case e.Reason.Cause == model.CauseGravity, e.Reason.Cause == model.CauseMost:
		return "near enough: " + worse
	default:
		return why + ": " + worse
	}
}
