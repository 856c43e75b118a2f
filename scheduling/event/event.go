// Package event has the events that a scheduling Core emits: what it did or learned, and why.
// docs/events.md describes them.
package event

import "github.com/tarry-mr/tarry/scheduling/internal/core"

// Event is one thing that the Core did or learned. Live runs, histories and simulations share one
// schema. In JSON an event is one line, with times in nanoseconds. A pair has the number of maps
// first, then of reduces. Zero fields are omitted except at, type and node.
type Event = core.Event

// Type is the type of an Event.
type Type = core.EventType

// The types of events, schema version 2; docs/events.md describes each field. Each comment lists
// the fields that are set. At and Type always are, and JobID, Kind and Attempt where they apply.
// Fields in brackets are set only with Config.Explain.
const (
	Joined = core.EventJoined // Node, NodeName, Rack, Slots
	Lost   = core.EventLost   // Node, NodeName: silent for too long, left, or restarted
	// sets Name, User, Pool, Tasks, Priority, Bytes, Gate, Width, [Places]
	Submitted = core.EventSubmitted
	Launched  = core.EventLaunched  // Node, Locality, Reason, Slot; Placed for reduces
	Succeeded = core.EventSucceeded // Node, Held; of maps Bytes, [Output]
	Failed    = core.EventFailed    // Node, Err, Reason, Held
	Killed    = core.EventKilled    // Node, Reason, Held
	Suspended = core.EventSuspended // Node, Reason
	Resumed   = core.EventResumed   // Node, Slot, Held
	// sets Kind, Node, Reason, Until, Level, Count; of reduces Placed, about the preferred node
	Skipped = core.EventSkipped
	Shares  = core.EventShares // Pool or JobID, Shares, Demand, Running, Min, Max, Virtual
	// sets Pool, Kind and Need, the number of slots that the pool may claim by preemption
	Need         = core.EventNeed
	Warning      = core.EventWarning      // Err
	Priority     = core.EventPriority     // Name: the new priority
	Pool         = core.EventPool         // Pool: the new pool
	Finished     = core.EventFinished     // State, Err
	OutputLost   = core.EventOutputLost   // Attempt: of the map that reruns
	Reconfigured = core.EventReconfigured // Name: of the policy; Policy
	ReloadFailed = core.EventReloadFailed // Err: changed configuration files were not applied
	// sets Node, Reason; from now on the node gets no tasks of JobID or, without JobID, of any job
	Avoided  = core.EventAvoided
	Admitted = core.EventAdmitted // Node, Reason: the node gets tasks as before
	// sets Began and Policy; the driver of the Core emits it as the first event of a run
	Began    = core.EventBegan
	Cordoned = core.EventCordoned // Node, State: "cordoned" or "open"
	Progress = core.EventProgress // [Node, Progress: at each quarter]
	// sets Node, Reason; if preemption were on, not only logged, it would kill the attempt
	Victim = core.EventVictim
)

// Schema is the version of the events. It changes when a program written for the former version
// would misread them.
const Schema = core.EventSchema

// Header describes a run in its first event: program, seed, heartbeat interval, numbers of nodes.
type Header = core.Began

// Placed explains the choice of a reduce's node: the center of gravity of its input, and the
// weighted total network distances of that node and of the chosen one, in byte-hops. Best, Mean and
// Candidates are set only with Config.Explain.
type Placed = core.Placed

// Candidate is a node that the reduce rule considers for a reduce, with its weighted distance.
type Candidate = core.Candidate

// InputPlaces lists the nodes with replicas of a job's map inputs, map after map. Every map has
// Each nodes; if Each is 0, Counts has the number of nodes of each map. A job with more than 65,536
// such nodes in all has only their number, in Omitted.
type InputPlaces = core.InputPlaces

// Projected is a job's progress in the virtual cluster of hfsp; view.Virtual explains the fields.
type Projected = core.Projected

// Reason explains a decision. It is a plain value, so that recording it needs no allocation; its
// String method returns a sentence.
type Reason = core.Reason

// Cause is the kind of a Reason.
type Cause = core.Cause

// Causes on which programs act; the other causes are only text for people.
const (
	NoCause         = core.NoCause
	CausePreempted  = core.CausePreempted  // killed: a pool below its share claims the slot
	CauseFlowMoved  = core.CauseFlowMoved  // killed: the minimum-cost flow no longer places it here
	CauseForked     = core.CauseForked     // launched where the job would have waited, by Config.Fork
	CauseNoSlot     = core.CauseNoSlot     // waiting: no slot of the kind is free, or other jobs come first
	CauseSlowStart  = core.CauseSlowStart  // skipped: too few maps done
	CauseSlowTask   = core.CauseSlowTask   // launched: a speculative attempt of a slow task
	CauseSmallerJob = core.CauseSmallerJob // suspended, killed or waiting: a smaller job needs the slot
	// killed: another attempt finished the task, or the Core does not know this one
	CauseSuperseded = core.CauseSuperseded
)
