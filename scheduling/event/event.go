// Package event is what a Core tells of: its events, each with its reason. docs/events.md has them
// one by one.
package event

import "github.com/tarry-mr/tarry/scheduling/internal/engine"

// Event is one thing that the Core did or learned. One schema serves live runs, histories and
// simulations; as JSON it makes one line. Times are in nanoseconds there, pairs are of maps and of
// reduces, and what is zero is left out but for at, type and node.
type Event = engine.Event

// Type says what an Event tells.
type Type = engine.EventType

// The events, version 2; docs/events.md has each with its fields. The comment names those that are
// set besides At, Type and, where it applies, JobID, Kind and Attempt. What stands in brackets is
// told with Config.Explain alone.
const (
	Joined = engine.EventJoined // Node, NodeName, Rack, Slots
	Lost   = engine.EventLost   // Node, NodeName: silent for too long, left, or restarted
	// Name, User, Pool, Tasks, Priority, Bytes, Gate, Width, [Places]
	Submitted = engine.EventSubmitted
	Launched  = engine.EventLaunched  // Node, Locality, Reason, Slot; Placed for reduces
	Succeeded = engine.EventSucceeded // Node, Held; of maps Bytes, [Output]
	Failed    = engine.EventFailed    // Node, Err, Reason, Held
	Killed    = engine.EventKilled    // Node, Reason, Held
	Suspended = engine.EventSuspended // Node, Reason
	Resumed   = engine.EventResumed   // Node, Slot, Held
	// Kind, Node, Reason, Until, Level, Count; Placed: where the job's reduce would rather go
	Skipped = engine.EventSkipped
	Shares  = engine.EventShares // Pool or JobID, Shares, Demand, Running, Min, Max, Virtual
	// Pool, Kind, Need: slots that the pool may claim by preemption
	Need         = engine.EventNeed
	Warning      = engine.EventWarning      // Err
	Priority     = engine.EventPriority     // Name: the new priority
	Pool         = engine.EventPool         // Pool: the new pool
	Finished     = engine.EventFinished     // State, Err
	OutputLost   = engine.EventOutputLost   // Attempt: of the map that runs again
	Reconfigured = engine.EventReconfigured // Name: of the policy; Policy
	ReloadFailed = engine.EventReloadFailed // Err: changed configuration files were not put in force
	// Node, Reason: JobID, or without one all jobs, launches nothing there
	Avoided  = engine.EventAvoided
	Admitted = engine.EventAdmitted // Node, Reason: tasks are launched there again
	// Began, Policy: the first of a run, from whoever drives the Core
	Began    = engine.EventBegan
	Cordoned = engine.EventCordoned // Node, State: "cordoned" or "open"
	Progress = engine.EventProgress // [Node, Progress: at each quarter]
	// Node, Reason: would be killed if preemption were not only logged
	Victim = engine.EventVictim
)

// Schema is the version of the events: it changes when a reader of the former would be misled.
const Schema = engine.EventSchema

// Header is the header of a run's events.
type Header = engine.Began

// Placed explains where a reduce went: the center of gravity of its input, and the weighted total
// network distance of that node and of the node chosen, in byte-hops. Best, Mean and Candidates are
// told with Config.Explain alone.
type Placed = engine.Placed

// Candidate is a node that the rule kept in mind for a reduce, and the weighted distance there.
type Candidate = engine.Candidate

// InputPlaces is where the blocks of a job's maps lie, map after map: Each or, if that is 0, Counts
// says how many nodes are meant for each. Of a job with more than 65,536 places none is told, and
// Omitted is how many there are.
type InputPlaces = engine.InputPlaces

// Projected is a job's place in the virtual cluster of hfsp, as view.Virtual.
type Projected = engine.Projected

// Reason explains a decision. It is a plain value, so that explaining costs no allocation; String
// makes a sentence of it.
type Reason = engine.Reason

// Cause is the kind of a Reason.
type Cause = engine.Cause

// Causes that programs tell apart; the others are known by their words.
const (
	NoCause         = engine.NoCause
	CausePreempted  = engine.CausePreempted  // killed: a pool below its share claims the slot
	CauseFlowMoved  = engine.CauseFlowMoved  // killed: the flow of least cost has it no longer here
	CauseNoSlot     = engine.CauseNoSlot     // waiting: no slot of the kind is free, or others come first
	CauseSlowStart  = engine.CauseSlowStart  // skipped: too few maps done
	CauseSlowTask   = engine.CauseSlowTask   // launched: a copy of a slow task
	CauseSmallerJob = engine.CauseSmallerJob // suspended, killed or waiting: a smaller job needs the slot
	// killed: another attempt finished the task, or the Core does not know this one
	CauseSuperseded = engine.CauseSuperseded
)
