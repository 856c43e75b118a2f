// Package actors is the live cluster: a JobTracker, a NameNode and, for each node, a
// Node with its Slots, all actors of one process, that run jobs of package mapreduce as
// package scheduling decides.
//
//	cluster, err := actors.Start(actors.Config{Nodes: 4, Racks: 2})
//	…
//	defer cluster.Close()
//	job, err := cluster.Submit(ctx, plan, actors.SubmitOptions{User: "ada"})
//	…
//	result, err := job.Wait(ctx)
//
// What happens, in order: Submit sets the output up, samples, registers the input's
// extents as blocks and hands the job to the JobTracker. The JobTracker pokes the nodes
// with free slots; each sends a heartbeat and gets actions in the answer. A Slot runs an
// attempt in a goroutine of its own; when it ends, the node sends a heartbeat at once.
// Reduces take their segments of finished maps by plain calls, not by messages. The
// first attempt of a task that asks may commit, no other.
//
// Actors call nothing that blocks; user code runs in attempts, output set-up and commit
// in goroutines of the job. All decisions are the scheduling.Core's; its call log is
// Config.Calls.
//
// The package does not reach other processes: a node is emulated, its loss injected
// with [Cluster.KillNode].
//
// A job's result may stay in the memory of the nodes as a [Dataset]: [Keep], [Load], [Collect]; several
// jobs are one unit as a [Pipeline].
//
// Reading order, that of a job: submit.go and splits.go; jobtracker.go, node.go and slot.go, which launch
// (each actor stands with its messages); attempt.go; shuffle.go and fetch.go; run.go, its reports, commit
// and end. Beside it: stop.go (what does not end), recovery.go and state.go (after a panic or a kill),
// namenode.go, commands.go; dataset.go and pipeline.go.
package actors
