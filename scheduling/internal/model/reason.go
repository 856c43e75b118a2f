package model

import (
	"fmt"
	"time"
)

// Cause is the kind of a Reason: a short phrase.
type Cause string

// NoCause is the cause of what needs no reason.
const NoCause Cause = ""

// The causes of launches of maps.
const (
	CauseLocal      Cause = "local to its data"
	CauseNoLocation Cause = "no location information" // on any node
	CauseGreedy     Cause = "first fit"               // off its data, by a rule that does not wait
	CauseWaited     Cause = "waited for locality"     // off its data, after waiting Wait, or Count refused offers
	CauseFlow       Cause = "cheapest here"           // where the minimum-cost flow places it
)

// The causes of launches of reduces.
const (
	CauseAnyReduce    Cause = "any node"                                // the first pending one
	CauseGravity      Cause = "center of gravity"                       // or near enough
	CauseGravityAhead Cause = "center of gravity, running maps counted" // with their expected outputs
	CauseNoNearerSlot Cause = "no node nearer to its center has a slot" // nor will have one soon
	CauseNoGain       Cause = "no gain in waiting"                      // no node is better by enough
	CausePlaced       Cause = "placed by a rule of the program"
	// LARTS: the node that holds most of its input, or nearly as much.
	CauseMost         Cause = "the node that holds most"
	CauseMostAhead    Cause = "the node that holds most, running maps counted"
	CauseNoFullerSlot Cause = "no node that holds more has a slot" // nor will have one soon
)

// The causes of other launches, and of resumptions.
const (
	CauseSlowTask Cause = "copy of a slow task"       // a speculative attempt
	CauseForked   Cause = "what if it had not waited" // see Config.Fork
	CauseResumed  Cause = "resumed"                   // continues where it was suspended
)

// The causes of skips: why a job with a task to launch does not get the offered slot.
const (
	CauseWaiting        Cause = "waiting for locality" // for a node nearer to its data; Wait or Count so far
	CauseGravityWait    Cause = "waiting for its center of gravity"
	CauseMostWait       Cause = "waiting for the node that holds most" // of its reduces' input
	CausePlacementCap   Cause = "node has its part of the job's reduces"
	CausePlacementWait  Cause = "waiting by a rule of the program"
	CauseFlowWait       Cause = "cheaper later, elsewhere or for another job" // by the minimum-cost flow
	CausePoolMax        Cause = "pool at its maximum share"
	CauseJobLimit       Cause = "limit on running jobs" // of the pool or user
	CauseSlowStart      Cause = "slow start: too few maps done"
	CauseUserLimit      Cause = "user limit" // of the queue
	CauseQueueMax       Cause = "queue at its maximum capacity"
	CauseNotInitialized Cause = "enough jobs of the queue wait initialized"
	CauseSlots          Cause = "needs more slots than free here" // for one task
	CauseReserved       Cause = "node is reserved for another job"
	CauseBusyLong       Cause = "last slot kept for short tasks"
	CauseLoadCap        Cause = "load cap of the node" // its proportional number of tasks in an under-loaded cluster
	CauseOneTask        Cause = "the heartbeat had its one task"
	CauseNotOffered     Cause = "the slot was not offered to it"
	CauseNoSlot         Cause = "no slot is free" // of the kind, or other jobs come first
	CauseSlowNode       Cause = "node is too slow for copies"
	CauseCopyCap        Cause = "enough copies run" // of the job
	CauseRunsHere       Cause = "the slow tasks run on this node"
	CauseAvoided        Cause = "too many attempts have failed on the node"
	CauseCordoned       Cause = "node is cordoned"
)

// The causes of kills, suspensions and losses.
const (
	CauseSmallerJob Cause = "a smaller job needs the slot"         // suspended, killed or waiting
	CausePreempted  Cause = "preempted for a pool below its share" // killed
	CauseFlowMoved  Cause = "moved off: another map is cheaper here"
	CauseJobEnded   Cause = "job is over"
	CauseSuperseded Cause = "superseded" // another attempt finished the task, or the Core does not know this one
	CauseNodeLost   Cause = "node lost"
	CauseOutputLost Cause = "map output lost" // the map reruns
)

// Waits reports whether c means that a job refuses a slot because it waits for a better one.
func (c Cause) Waits() bool {
	switch c {
	case CauseWaiting, CauseGravityWait, CauseMostWait, CausePlacementCap, CausePlacementWait:
		return true
	default:
		return false
	}
}

// Reason explains a decision. It is a plain value, so that explaining costs no allocation; String
// returns a sentence.
type Reason struct {
	Cause Cause         `json:"cause,omitempty"`
	Wait  time.Duration `json:"wait,omitempty"`  // waited so far
	Count int32         `json:"count,omitempty"` // offers refused so far
	Of    int32         `json:"of,omitempty"`    // the limit that Count is measured against
}

// String returns a phrase such as "waiting for locality, 2.5s so far".
func (r Reason) String() string {
	s := string(r.Cause)
	if r.Wait > 0 {
		s += fmt.Sprintf(", %v so far", r.Wait)
	}
	if r.Of > 0 {
		return s + fmt.Sprintf(", %d of %d", r.Count, r.Of)
	}
	if r.Count > 0 {
		s += fmt.Sprintf(", offers refused: %d", r.Count)
	}
	return s
}
