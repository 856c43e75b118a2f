package actors

import (
	"github.com/asynkron/protoactor-go/actor"

	"github.com/tarry-mr/tarry/dfs"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/counter"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/event"
)

// All messages between actors. They are pointers to values that nobody changes after
// sending, except what a field's comment says. A reply channel has room for its answer,
// so that no actor ever blocks on one.

// noDeadLetter keeps a message that comes too late out of the dead-letter log: that of a node
// which was just stopped is nothing to tell of.
type noDeadLetter struct{}

// IgnoreDeadLetterLogging marks the message for the actor library.
func (noDeadLetter) IgnoreDeadLetterLogging() {}

// To the JobTracker.
type (
	// join is a node's registration; the answer is joined. Sent again until answered.
	join struct {
		noDeadLetter
		spec scheduling.Node
		pid  *actor.PID
	}

	// heartbeat carries a node's statuses and, for attempts that ended, what they left;
	// the answer is heartbeatAck. Sent again, unchanged, until answered.
	heartbeat struct {
		noDeadLetter
		beat    scheduling.Heartbeat
		reports []*report
	}

	// leave says that a node stops in good order.
	leave struct {
		noDeadLetter
		node scheduling.NodeID
	}

	// commitRequest asks whether an attempt may commit; the answer is commitAnswer.
	commitRequest struct {
		noDeadLetter
		attempt scheduling.AttemptID
	}

	// submit hands a prepared job over.
	submit struct {
		noDeadLetter
		run   *run
		spec  scheduling.JobSpec
		kept  []int32 // tasks whose output is there already
		reply chan error
	}

	// updateTick is the JobTracker's own timer.
	updateTick struct {
		noDeadLetter
		gen uint64
	}
)

// To a Node.
type (
	// joined answers join.
	joined struct {
		noDeadLetter
		node        scheduling.NodeID
		incarnation uint64
	}

	// heartbeatAck answers the heartbeat seq; its actions are carried out in turn.
	heartbeatAck struct {
		noDeadLetter
		seq         uint64
		incarnation uint64
		actions     []action
		reregister  bool
	}

	// poke asks for a heartbeat now: there is work, or an action waits.
	poke struct{ noDeadLetter }

	// beatTick is a node's own timer.
	beatTick struct {
		noDeadLetter
		gen uint64
	}

	// fetchFailed is a reduce's word of a map output that it could not fetch.
	fetchFailed struct {
		noDeadLetter
		attempt scheduling.AttemptID
		lost    scheduling.LostOutput
	}

	// reportBlocks asks for a report of what changed in the node's store.
	reportBlocks struct{ noDeadLetter }

	// copyBlock asks the node to get a replica.
	copyBlock struct {
		noDeadLetter
		copy dfs.Copy
	}
)

// To a Slot.
type (
	// launch starts an attempt in a free slot.
	launch struct {
		noDeadLetter
		attempt *attempt
	}

	// stopAttempt kills it, holdAttempt suspends or resumes it, if it is still there.
	stopAttempt struct {
		noDeadLetter
		id  scheduling.AttemptID
		why event.Reason
	}
	holdAttempt struct {
		noDeadLetter
		id   scheduling.AttemptID
		hold bool
	}

	// wantsCommit comes from the attempt's goroutine.
	wantsCommit struct {
		noDeadLetter
		id scheduling.AttemptID
	}

	// abandoned says that nobody waits for an attempt any more, which goes on in its goroutine.
	abandoned struct {
		noDeadLetter
		attempt *attempt
	}

	// commitAnswer answers commitRequest.
	commitAnswer struct {
		noDeadLetter
		attempt scheduling.AttemptID
		granted bool
	}
)

// report is how an attempt ended. Its goroutine sends it to the Slot, the Slot to the
// Node, and the Node to the JobTracker in a heartbeat.
type report struct {
	noDeadLetter
	status   scheduling.Status
	err      error              // of a failed attempt
	output   *cluster.MapOutput // of a map; the run owns it
	counters *counter.Set       // of one that succeeded
	totals   totals             // of one that succeeded
	skipped  []cluster.Skipped  // records that a map left out
	shuffled [distances]int64   // bytes by distance, of a reduce
	phases   Phases
}

// action is a scheduling.Action with the job of an attempt to launch.
type action struct {
	scheduling.Action
	run *run
}

// To the NameNode.
type (
	// announce says that a node's store has changed.
	announce struct {
		noDeadLetter
		node dfs.NodeID
	}

	// blockReport is a node's report of its store.
	blockReport struct {
		noDeadLetter
		report dfs.Report
		life   uint64
	}

	// nodeUp is the first word of a node's life, with a full report, said again now and then.
	nodeUp struct {
		noDeadLetter
		report dfs.Report
		pid    *actor.PID
		life   uint64
	}

	// nodeLost is the JobTracker's word that a life of a node is over.
	nodeLost struct {
		noDeadLetter
		node dfs.NodeID
		life uint64
	}
)
