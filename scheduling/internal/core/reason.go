package core

import (
	"fmt"
	"time"
)

// Cause is the kind of a Reason.
type Cause uint8

// The causes of launches, skips, kills and suspensions.
const (
	NoCause             Cause = iota
	CauseLocal                // launched beside its data
	CauseNoLocation           // launched anywhere: the map has no location information
	CauseGreedy               // launched off its data by a rule that does not wait
	CauseWaited               // launched off its data after waiting Wait, or Count refused offers
	CauseWaiting              // skipped: waits for a node nearer to its data; Wait or Count so far
	CauseGravity              // reduce launched at, or as near as nothing to, its center of gravity
	CauseGravityAhead         // the same, once the running maps of its job have left their outputs
	CauseNoNearerSlot         // reduce launched far from its center: no nearer node has a slot, or will soon
	CauseNoGain               // reduce launched: no node is better by enough to wait
	CauseGravityWait          // skipped: its reduces wait for their centers of gravity
	CausePlacementCap         // skipped: the node already has its part of the job's reduces
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
	CauseJobEnded             // killed: its job is over
	CauseSuperseded           // killed: another attempt finished the task, or the Core does not know this one
	CauseNodeLost             // gone with its node
	CauseOutputLost           // map runs again: its output is gone
	CauseResumed              // goes on where it was suspended
	CauseLoadCap              // the node has its part of the tasks while the cluster is under-loaded
	CauseBusyLong             // skipped: only short jobs' tasks on the last slot of a node
	CauseOneTask              // the heartbeat had its one task
	CauseNotOffered           // the slot was not offered to it
	CauseNotInitialized       // skipped: enough jobs of the queue are initialized
	CauseSlowTask             // launched: a copy of a slow task
	CauseSlowNode             // skipped: the node is too slow for copies
	CauseCopyCap              // skipped: enough copies of the job run
	CauseRunsHere             // skipped: the tasks to copy run on this node
	CauseAvoided              // skipped: too many attempts have failed on the node
	CauseCordoned             // the node is cordoned
	CausePlaced               // reduce launched where a rule from outside wants it
	CausePlacementWait        // skipped: a rule from outside waits for another node
	CauseFlow                 // launched where the flow of least cost has it
	CauseFlowWait             // skipped: the flow of least cost has it wait, or elsewhere
	CauseFlowMoved            // killed: the flow of least cost has it no longer here
	CauseNoSlot               // waiting: no slot of the kind is free, or others come first
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
	CauseNoSlot:         "no slot is free",
}

// String is a short sentence.
func (c Cause) String() string {
	if int(c) < len(causeText) {
		return causeText[c]
	}
	return "cause?"
}

// MarshalText writes the form of String.
func (c Cause) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText reads the form of String.
func (c *Cause) UnmarshalText(text []byte) error {
	for i, s := range causeText {
		if s == string(text) {
			*c = Cause(i)
			return nil
		}
	}
	return fmt.Errorf("scheduling: unknown cause %q", text)
}

// Reason explains a decision. It is a plain value, so that explaining costs no allocation; String
// returns a sentence.
type Reason struct {
	Cause Cause         `json:"cause,omitempty"`
	Wait  time.Duration `json:"wait,omitempty"`  // waited so far
	Count int32         `json:"count,omitempty"` // offers refused so far
	Of    int32         `json:"of,omitempty"`    // the limit that Count is measured against
}

// String is a sentence such as "waiting for locality, 2.5s so far".
func (r Reason) String() string {
	s := r.Cause.String()
	if r.Wait > 0 {
		s += fmt.Sprintf(", %v so far", r.Wait)
	}
	if r.Of > 0 {
		return s + fmt.Sprintf(", %d of %d", r.Count, r.Of)
	}
	if r.Count > 0 {
		s += fmt.Sprintf(", %d offers refused", r.Count)
	}
	return s
}
