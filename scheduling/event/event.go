// Package event is what a Core tells of: its events, each with its reason. docs/events.md has them
// one by one.
package event

import "github.com/tarry-mr/tarry/scheduling/internal/core"

// Event is one thing that the Core did or learned. One schema serves live runs, histories and
// simulations; as JSON it makes one line. Times are in nanoseconds there, pairs are of maps and of
// reduces, and what is zero is left out but for at, type and node.
type Event = core.Event

// Type says what an Event tells.
type Type = core.EventType

// The events, version 2; docs/events.md has each with its fields. The comment names those that are
// set besides At, Type and, where it applies, JobID, Kind and Attempt. What stands in brackets is
// told with Config.Explain alone.
const (
	Joined = core.EventJoined // Node, NodeName, Rack, Slots
	Lost   = core.EventLost   // Node, NodeName: silent for too long, left, or restarted
	// Name, User, Pool, Tasks, Priority, Bytes, Gate, Width, [Places]
	Submitted = core.EventSubmitted
	Launched  = core.EventLaunched  // Node, Locality, Reason, Slot; Placed for reduces
	Succeeded = core.EventSucceeded // Node, Held; of maps Bytes, [Output]
	Failed    = core.EventFailed    // Node, Err, Reason, Held
	Killed    = core.EventKilled    // Node, Reason, Held
	Suspended = core.EventSuspended // Node, Reason
	Resumed   = core.EventResumed   // Node, Slot, Held
	// Kind, Node, Reason, Until, Level, Count; Placed: where the job's reduce would rather go
	Skipped = core.EventSkipped
	Shares  = core.EventShares // Pool or JobID, Shares, Demand, Running, Min, Max, Virtual
	// Pool, Kind, Need: slots that the pool may claim by preemption
	Need         = core.EventNeed
	Warning      = core.EventWarning      // Err
	Priority     = core.EventPriority     // Name: the new priority
	Pool         = core.EventPool         // Pool: the new pool
	Finished     = core.EventFinished     // State, Err
	OutputLost   = core.EventOutputLost   // Attempt: of the map that runs again
	Reconfigured = core.EventReconfigured // Name: of the policy; Policy
	ReloadFailed = core.EventReloadFailed // Err: changed configuration files were not put in force
	// Node, Reason: JobID, or without one all jobs, launches nothing there
	Avoided  = core.EventAvoided
	Admitted = core.EventAdmitted // Node, Reason: tasks are launched there again
	// Began, Policy: the first of a run, from whoever drives the Core
	Began    = core.EventBegan
	Cordoned = core.EventCordoned // Node, State: "cordoned" or "open"
	Progress = core.EventProgress // [Node, Progress: at each quarter]
	// Node, Reason: would be killed if preemption were not only logged
	Victim = core.EventVictim
)

// Schema is the version of the events: it changes when a reader of the former would be misled.
const Schema = core.EventSchema

// Header is the header of a run's events.
type Header = core.Began

// Placed explains where a reduce went: the center of gravity of its input, and the weighted total
// network distance of that node and of the node chosen, in byte-hops. Best, Mean and Candidates are
// told with Config.Explain alone.
type Placed = core.Placed

// Candidate is a node that the rule kept in mind for a reduce, and the weighted distance there.
type Candidate = core.Candidate

// InputPlaces is where the blocks of a job's maps lie, map after map: Each or, if that is 0, Counts
// says how many nodes are meant for each. Of a job with more than 65,536 places none is told, and
// Omitted is how many there are.
type InputPlaces = core.InputPlaces

// Projected is a job's place in the virtual cluster of hfsp, as view.Virtual.
type Projected = core.Projected

// Reason explains a decision. It is a plain value, so that explaining costs no allocation; String
// makes a sentence of it.
type Reason = core.Reason

// Cause is the kind of a Reason.
type Cause = core.Cause

// Causes that programs tell apart; the others are known by their words.
const (
	NoCause         = core.NoCause
	CausePreempted  = core.CausePreempted  // killed: a pool below its share claims the slot
	CauseFlowMoved  = core.CauseFlowMoved  // killed: the flow of least cost has it no longer here
	CauseNoSlot     = core.CauseNoSlot     // waiting: no slot of the kind is free, or others come first
	CauseSlowStart  = core.CauseSlowStart  // skipped: too few maps done
	CauseSlowTask   = core.CauseSlowTask   // launched: a copy of a slow task
	CauseSmallerJob = core.CauseSmallerJob // suspended, killed or waiting: a smaller job needs the slot
	// killed: another attempt finished the task, or the Core does not know this one
	CauseSuperseded = core.CauseSuperseded
)
