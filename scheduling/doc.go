// Package scheduling decides: it is the whole state machine of the JobTracker, without a clock,
// goroutine, lock, random source, file or log. A Core is told what happened (a node joined, a job
// was submitted, a node sent a heartbeat) together with the time, and answers with actions: launch,
// kill, suspend, resume.
//
//	core, err := scheduling.NewCore(scheduling.Config{}, policy)  // policy, err := scheduling.Preset("hfs")
//	n1, err := core.Join(0, scheduling.Node{Name: "n1", Rack: "r1", MapSlots: 2, ReduceSlots: 1})
//	job, err := core.Submit(0, scheduling.JobSpec{Name: "count", Maps: 3, Reduces: 1})
//	answer, err := core.Heartbeat(time.Second, scheduling.Heartbeat{Node: n1})
//	for _, o := range answer.Actions { … }   // launch job_0001_m_000000_0 any-place …
//
// The same calls give the same answers, whoever drives: live actors, the simulator in virtual time,
// or a scenario file. Every call may be written to a call log (Config.Calls), and Core.Replay feeds
// such a log to a fresh Core and compares.
//
// A policy is put together from parts: which job is next, may its map go to this node now, may its
// reduce, may it run at all, and who gives slots back. Preset gives the named combinations; a
// program brings parts of its own in Config.Parts.
//
// Package event has what a Core tells of, calls the log of its calls, view the answers to questions
// about it. The Core itself is internal/core, its policies are packages beside it; types of this
// package are names for those of internal/core, where go doc shows their fields and methods:
//
//	go doc github.com/tarry-mr/tarry/scheduling/internal/core.Policy
//
// A Core is not safe for concurrent use. It does not move bytes, run tasks or keep wall-clock time.
package scheduling
