package scheduling

import (
	"fmt"
	"time"
)

// EventType says what an Event tells.
type EventType uint8

// The events. The comment names the fields that are set besides At, Type and, where it applies,
// JobID, Kind and Attempt.
const (
	EventJoined       EventType = iota + 1 // Node, NodeName, Rack, Slots
	EventLost                              // Node, NodeName: silent for too long, left, or restarted
	EventSubmitted                         // Name, User, Pool, Tasks
	EventLaunched                          // Node, Locality, Reason; Placed for reduces
	EventSucceeded                         // Node
	EventFailed                            // Node, Err, Reason
	EventKilled                            // Node, Reason
	EventSuspended                         // Node, Reason
	EventResumed                           // Node
	EventSkipped                           // Kind, Node, Reason, Until
	EventShares                            // Pool, Shares
	EventNeed                              // Pool, Kind, Need: slots that the pool may claim by preemption
	EventWarning                           // Err
	EventPriority                          // Name: the new priority
	EventPool                              // Pool: the new pool
	EventFinished                          // State, Err
	EventOutputLost                        // Attempt: of the map that runs again
	EventReconfigured                      // Name: of the policy
	EventReloadFailed                      // Err: changed configuration files were not put in force
	EventAvoided                           // Node, Reason: JobID, or without one all jobs, launches nothing there
	EventAdmitted                          // Node, Reason: tasks are launched there again
)

var eventNames = [...]string{
	"", "joined", "lost", "submitted", "launched", "succeeded", "failed", "killed", "suspended",
	"resumed", "skipped", "shares", "need", "warning", "priority", "pool", "finished", "output-lost", "reconfigured",
	"reload-failed", "avoided", "admitted",
}

// String gives the event's name in lower case.
func (t EventType) String() string { return eventNames[t] }

// MarshalText gives the event's name.
func (t EventType) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText reads an event's name.
func (t *EventType) UnmarshalText(text []byte) error {
	for i, name := range eventNames {
		if i > 0 && name == string(text) {
			*t = EventType(i)
			return nil
		}
	}
	return fmt.Errorf("scheduling: unknown event %q", text)
}

// Placed explains where a reduce went: the center of gravity of its input, and the weighted total
// network distance of that node and of the node chosen, in byte-hops.
type Placed struct {
	Center   string `json:"center,omitempty"` // empty while nothing is known of the input
	AtCenter int64  `json:"at_center"`
	Here     int64  `json:"here"`
}

// Event is one thing that the Core did or learned. One schema serves live runs, histories and
// simulations; as JSON it makes one line.
type Event struct {
	At       time.Duration `json:"at"` // since the cluster's start, in nanoseconds
	Type     EventType     `json:"type"`
	JobID    JobID         `json:"job,omitempty"`
	Attempt  AttemptID     `json:"attempt,omitzero"`
	Kind     TaskKind      `json:"kind,omitempty"` // 0 map, 1 reduce
	Node     NodeID        `json:"node"`           // NoNode where none is meant
	NodeName string        `json:"node_name,omitempty"`
	Rack     string        `json:"rack,omitempty"`
	Locality Locality      `json:"-"`                  // of a map's attempt
	Near     string        `json:"locality,omitempty"` // Locality in words, where it is known; set by the Core
	Reason   Reason        `json:"reason,omitzero"`
	Until    time.Duration `json:"until,omitempty"`
	Placed   *Placed       `json:"placed,omitempty"`
	Name     string        `json:"name,omitempty"`
	User     string        `json:"user,omitempty"`
	Pool     string        `json:"pool,omitempty"` // or queue
	Slots    [2]int        `json:"slots,omitzero"`
	Tasks    [2]int        `json:"tasks,omitzero"`
	Shares   [2]float64    `json:"shares,omitzero"`
	Need     int           `json:"need,omitempty"`
	State    string        `json:"state,omitempty"`
	Err      string        `json:"err,omitempty"`
}

// String is a line for people.
func (e Event) String() string {
	s := fmt.Sprintf("%v %v", e.At, e.Type)
	switch {
	case e.Attempt != (AttemptID{}):
		s += " " + e.Attempt.String()
	case e.JobID != 0:
		s += " " + e.JobID.String()
	}
	if e.NodeName != "" {
		s += " on " + e.NodeName
	}
	if e.Type == EventReconfigured {
		s += ": policy " + e.Name
	}
	if e.Type == EventLaunched && e.Near != "" {
		s += " " + e.Near
	}
	if e.Reason.Cause != NoCause {
		s += ": " + e.Reason.String()
	}
	if e.Err != "" {
		s += ": " + e.Err
	}
	return s
}
