package model

import "time"

// Node describes a machine that joins the cluster.
type Node struct {
	Name        string // unique; a node that joins again keeps its NodeID
	Rack        string // empty means the rack "default"
	MapSlots    int    // 0 or more
	ReduceSlots int    // 0 or more
	// Incarnation identifies one life of the node's process. A join with another incarnation loses
	// what the former one ran and stored.
	Incarnation uint64
}

// Places holds the locations of each map's input: map i has its replicas on
// Nodes[Offsets[i]:Offsets[i+1]]. With the zero value no map has a location. Core.NodeID returns
// the numbers, also of nodes that have not joined yet. The Core keeps the slices and does not
// change them.
type Places struct {
	Offsets []int32
	Nodes   []NodeID
}

// JobSpec describes a job for Submit.
type JobSpec struct {
	Name         string
	Key          string   `json:",omitempty"` // identifies the job to the process that resumes it; the Core ignores it
	User         string   // empty means "anonymous"
	Pool         string   // the explicit pool property; wins over PoolProperty; trimmed
	PoolProperty string   // value of the property that names the pool if Pool is empty; trimmed
	Queue        string   // capacity scheduler: a leaf queue; empty means "default"
	Priority     Priority // zero is Normal
	Maps         int      // 0 or more
	Reduces      int      // 0 or more
	InputBytes   int64    `json:",omitempty"` // 0: unknown; only for events
	Places       Places   // locations of the maps' inputs
	// SlowStart is the fraction of the maps that must be done before reduces launch: 0 means the
	// policy's, negative means none.
	SlowStart float64
	// SlotsPerTask is the number of slots that a task holds, map or reduce; 0 means 1.
	SlotsPerTask int
	// MaxAttempts is the number of failures of one task that fail the job; 0 means
	// Config.MaxAttempts.
	MaxAttempts int
	// MapTime and ReduceTime are the known durations of one task, for policies that use sizes
	// (srpt, hfsp without training); 0 means unknown.
	MapTime    time.Duration
	ReduceTime time.Duration
	// NoSuspend forbids suspending this job's attempts, which talk to an outside system. Policies
	// wait for them or kill them.
	NoSuspend bool
}

// AttemptState is the state of an attempt as its node reports it.
type AttemptState uint8

// The states that a node may report.
const (
	StateRunning   AttemptState = iota
	StateSucceeded              // its output is committed (reduce) or ready to be fetched (map)
	StateFailed
	StateKilled // stopped by the Core, or ended without an error of the task
	StateSuspended
)

// LostOutput names a map output that a reduce could not fetch: that of attempt Try of map Map of
// the same job. The map reruns unless another attempt has already replaced the output.
type LostOutput struct {
	Map int32
	Try int32
	// Unreachable means that repeated fetches failed, but the output may still exist: the map
	// reruns after enough reports. Without it, the output is known to be lost or damaged.
	Unreachable bool `json:",omitempty"`
}

// Status is a node's report on one attempt.
type Status struct {
	Attempt  AttemptID
	State    AttemptState
	Progress float64 // 0 to 1; of a reduce, the shuffle is the first third
	// ReduceProgress is the fraction of a reduce's input that its reduce function has consumed, 0
	// to 1.
	ReduceProgress float64
	Err            string
	// Blameless marks a failure of the node or the data, not of the user code: it does not count
	// toward MaxAttempts.
	Blameless bool
	// Final marks a failure that every other attempt would have: it fails the job at once, unless
	// it is Blameless.
	Final bool `json:",omitempty"`
	// Lost lists map outputs that a reduce could not fetch.
	Lost []LostOutput
	// OutputBytes are the output sizes of a map that succeeded, one per reduce; nil means unknown.
	// The Core keeps the slice; neither it nor the caller may change it.
	OutputBytes []int64
}

// Heartbeat is a node's report to the JobTracker.
type Heartbeat struct {
	Node        NodeID
	Incarnation uint64
	// Seq numbers the node's heartbeats from 1. A repeated one gets the same actions, an older one
	// none. 0 means unnumbered.
	Seq      uint64
	Statuses []Status
	// NoWork asks for no new tasks: the Core applies the statuses and returns pending kills but
	// launches nothing.
	NoWork bool
}

// Verb is the kind of an action.
type Verb uint8

// The kinds of actions.
const (
	Launch Verb = iota
	Kill
	Suspend
	Resume
)

var verbNames = [...]string{"launch", "kill", "suspend", "resume"}

// String returns the verb in lower case.
func (v Verb) String() string { return verbNames[v&3] }

// MarshalText returns the verb in lower case.
func (v Verb) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText parses the text of MarshalText.
func (v *Verb) UnmarshalText(text []byte) error { return ParseWord(v, verbNames[:], 0, "verb", text) }

// Action asks a node to change an attempt. Actions are idempotent: launching a running attempt, or
// killing one that has ended, does nothing.
type Action struct {
	Verb     Verb
	Attempt  AttemptID
	Locality Locality // of a launch
	Reason   Reason   // why it happens now and on this node
}

// Answer is the answer to a heartbeat.
type Answer struct {
	// Actions are in order of execution. The Core owns the slice and overwrites it at the next
	// call.
	Actions []Action
	// Reregister means that the Core does not know this node or this incarnation: it must join
	// again.
	Reregister bool
}

// Skip records why a job with a task to launch was passed over when a slot was offered. Until is
// the time when the reason ends by itself, 0 if it does not.
type Skip struct {
	Job    JobID
	Kind   TaskKind
	Node   NodeID
	Reason Reason
	Until  time.Duration
}

// JobState is the state of a job.
type JobState uint8

// The states of a job. Only JobRunning launches tasks.
const (
	JobWaiting JobState = iota // held back by a job limit, or not initialized
	JobRunning
	JobSucceeded
	JobFailed
	JobKilled
)

// String returns the state in lower case.
func (s JobState) String() string {
	return [...]string{"waiting", "running", "succeeded", "failed", "killed"}[s]
}

// Ended reports whether the job has ended.
func (s JobState) Ended() bool { return s >= JobSucceeded }
