// Package scheduling makes all decisions of the JobTracker. It is a state machine without a clock,
// goroutine, lock, random source, file or log. The caller reports events to a [Core] with their
// time (a node joined, a job was submitted, a node sent a heartbeat), and the Core answers with
// actions: launch, kill, suspend, resume.
//
//	core, err := scheduling.NewCore(scheduling.Config{}, policy)  // policy, err := scheduling.Preset("hfs")
//	n1, err := core.Join(0, scheduling.Node{Name: "n1", Rack: "r1", MapSlots: 2, ReduceSlots: 1})
//	job, err := core.Submit(0, scheduling.JobSpec{Name: "count", Maps: 3, Reduces: 1})
//	answer, err := core.Heartbeat(time.Second, scheduling.Heartbeat{Node: n1})
//	for _, o := range answer.Actions { … }   // launch job_0001_m_000000_0 any-place …
//
// The same calls always give the same answers, whether live actors, the simulator in virtual time
// or a scenario file makes them. Config.Calls can record every call; Core.Replay applies such a log
// to a fresh Core and compares the answers.
//
// A [Policy] combines an order of jobs, a placement of maps, a placement of reduces, limits, and
// rules to reclaim slots. [Preset] returns a ready-made policy by name, such as "hfs". A program
// adds its own parts with Config.Parts.
//
// Package event has the events that a Core emits, package calls the log of its calls, and package
// view the snapshots that a [View] returns. The implementation is internal/core, with the policies
// in the packages next to it. Most types of this package are aliases of types there; use go doc on
// them for fields and methods:
//
//	go doc github.com/tarry-mr/tarry/scheduling/internal/core.Policy
//
// A Core is not safe for concurrent use. It does not move bytes, run tasks or keep wall-clock time.
package scheduling
