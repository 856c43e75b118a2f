package model

import (
	"fmt"
	"time"
)

// Cause is the kind of a Reason.
type Cause uint8

// The causes of launches, skips, kills and suspensions.
const (
	NoCause             Cause = iota
	CauseLocal                // launched node-local
	CauseNoLocation           // launched anywhere: the map has no location information
	CauseGreedy               // launched off its data by a rule that does not wait
	CauseWaited               // launched off its data after waiting Wait, or Count refused offers
	CauseWaiting              // skipped: waits for a node nearer to its data; Wait or Count so far
	CauseGravity              // reduce launched at its center of gravity, or near enough
	CauseGravityAhead         // the same, with the expected outputs of the job's running maps
	CauseNoNearerSlot         // reduce launched far from its center: no nearer node has a slot, or will soon
	CauseNoGain               // reduce launched: no node is better by enough to wait
	CauseGravityWait          // skipped: its reduces wait for their centers of gravity
	CauseMost                 // reduce launched at the node that holds most of its input, or nearly as much (LARTS)
	CauseMostAhead            // the same, with the expected outputs of the job's running maps
	CauseNoFullerSlot         // reduce launched elsewhere: no node that holds more has a slot, or will soon
	CauseMostWait             // skipped: its reduces wait for the nodes that hold most of their input
	CausePlacementCap         // skipped: the node has its maximum of the job's reduces
	CauseAnyReduce            // reduce launched: first pending one, any node
	CausePoolMax              // skipped: the pool is at its maximum share
	CauseJobLimit             // skipped: too many running jobs of the pool or user
	CauseSlowStart            // skipped: too few maps done
	CauseUserLimit            // skipped: the user is at the queue's user limit
	CauseQueueMax             // skipped: the queue is at its maximum capacity
	CauseSlots                // skipped: a task needs more slots than the node has free
	CauseReserved             // skipped: the node is reserved for another job
	CauseSmallerJob           // suspended, killed or waiting: a smaller job needs the slot
	CausePreempted            // killed: a pool below its share claims the slot
	CauseJobEnded             // killed: its job has ended
	CauseSuperseded           // killed: another attempt finished the task, or the Core does not know this one
	CauseNodeLost             // lost with its node
	CauseOutputLost           // map reruns: its output is lost
	CauseResumed              // continues where it was suspended
	CauseLoadCap              // the node has its proportional number of tasks in an under-loaded cluster
	CauseBusyLong             // skipped: the last slot of a node is kept for short tasks
	CauseOneTask              // the heartbeat has launched its one task
	CauseNotOffered           // the slot was not offered to it
	CauseNotInitialized       // skipped: enough jobs of the queue are initialized
	CauseSlowTask             // launched: a speculative attempt of a slow task
	CauseSlowNode             // skipped: the node is too slow for speculative attempts
	CauseCopyCap              // skipped: enough speculative attempts of the job run
	CauseRunsHere             // skipped: the slow tasks run on this node
	CauseAvoided              // skipped: too many attempts have failed on the node
	CauseCordoned             // the node is cordoned
	CausePlaced               // reduce launched where a custom rule wants it
	CausePlacementWait        // skipped: a custom rule waits for another node
	CauseFlow                 // launched where the minimum-cost flow places it
	CauseFlowWait             // skipped: the minimum-cost flow makes it wait, or places it elsewhere
	CauseFlowMoved            // killed: the minimum-cost flow no longer places it here
	CauseForked               // launched where the job would have waited: see Config.Fork
	CauseNoSlot               // waiting: no slot of the kind is free, or other jobs come first
)

var causeText = [...]string{
	NoCause:             "",
	CauseLocal:          "local to its data",
	CauseNoLocation:     "no location information",
	CauseGreedy:         "first fit",
	CauseWaited:         "waited for locality",
	CauseWaiting:        "waiting for locality",
	CauseGravity:        "center of gravity",
	CauseGravityAhead:   "center of gravity, running maps counted",
	CauseNoNearerSlot:   "no node nearer to its center has a slot",
	CauseNoGain:         "no gain in waiting",
	CauseGravityWait:    "waiting for its center of gravity",
	CauseMost:           "the node that holds most",
	CauseMostAhead:      "the node that holds most, running maps counted",
	CauseNoFullerSlot:   "no node that holds more has a slot",
	CauseMostWait:       "waiting for the node that holds most",
	CausePlacementCap:   "node has its part of the job's reduces",
	CauseAnyReduce:      "any node",
	CausePoolMax:        "pool at its maximum share",
	CauseJobLimit:       "limit on running jobs",
	CauseSlowStart:      "slow start: too few maps done",
	CauseUserLimit:      "user limit",
	CauseQueueMax:       "queue at its maximum capacity",
	CauseSlots:          "needs more slots than free here",
	CauseReserved:       "node is reserved for another job",
	CauseSmallerJob:     "a smaller job needs the slot",
	CausePreempted:      "preempted for a pool below its share",
	CauseJobEnded:       "job is over",
	CauseSuperseded:     "superseded",
	CauseNodeLost:       "node lost",
	CauseOutputLost:     "map output lost",
	CauseResumed:        "resumed",
	CauseLoadCap:        "load cap of the node",
	CauseBusyLong:       "last slot kept for short tasks",
	CauseOneTask:        "the heartbeat had its one task",
	CauseNotOffered:     "the slot was not offered to it",
	CauseNotInitialized: "enough jobs of the queue wait initialized",
	CauseSlowTask:       "copy of a slow task",
	CauseSlowNode:       "node is too slow for copies",
	CauseCopyCap:        "enough copies run",
	CauseRunsHere:       "the slow tasks run on this node",
	CauseAvoided:        "too many attempts have failed on the node",
	CauseCordoned:       "node is cordoned",
	CausePlaced:         "placed by a rule of the program",
	CausePlacementWait:  "waiting by a rule of the program",
	CauseFlow:           "cheapest here",
	CauseFlowWait:       "cheaper later, elsewhere or for another job",
	CauseFlowMoved:      "moved off: another map is cheaper here",
	CauseForked:         "what if it had not waited",
	CauseNoSlot:         "no slot is free",
}

// Waits reports whether c means that a job refuses a slot because it waits for a better one.
func (c Cause) Waits() bool {
	switch c {
	case CauseWaiting, CauseGravityWait, CauseMostWait, CausePlacementCap, CausePlacementWait:
		return true
	default:
		return false
	}
}

// String returns a short phrase.
func (c Cause) String() string {
	if int(c) < len(causeText) {
		return causeText[c]
	}
	return "cause?"
}

// MarshalText returns the text of String.
func (c Cause) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText parses the text of String.
func (c *Cause) UnmarshalText(text []byte) error { return ParseWord(c, causeText[:], 0, "cause", text) }

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
	s := r.Cause.String()
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
