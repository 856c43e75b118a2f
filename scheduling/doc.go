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
// or a scenario file. Every call may be written to a call log (Config.Calls), and Replay feeds such
// a log to a fresh Core and compares.
//
// A policy is put together from parts that know nothing of each other: which job is next (order,
// order_*.go), may its map go to this node now (locality_*.go), may its reduce (reduce_*.go), may
// it run at all (limits), and who gives slots back (preemption). What a part keeps of a job lies
// with the part. Preset gives the named combinations. Adding one takes a file with its order and a
// line in presets.go. Plain structures and formulas without a Core stand in internal: index,
// shares, virtual, gravity.
//
// A Core is not safe for concurrent use. It does not move bytes, run tasks or keep wall-clock time.
//
// Reading order: ids.go, types.go, policy.go, core.go, order.go, heartbeat.go, offer.go, then one
// order (order_fair.go) and the rest.
package scheduling
