// Package actors runs jobs of package mapreduce on a live cluster inside one process, as package
// scheduling decides. A JobTracker, a NameNode, one Node per emulated machine and its Slots are
// actors.
//
//	cluster, err := actors.Start(actors.Config{Nodes: 4, Racks: 2})
//	…
//	defer cluster.Close()
//	job, err := cluster.Submit(ctx, plan, actors.SubmitOptions{User: "ada"})
//	…
//	result, err := job.Wait(ctx)
//
// The life of a job: Submit sets up the output, samples, finds nodes for the input's blocks and
// passes the job to the JobTracker. The JobTracker pokes nodes with free slots; each node sends
// a heartbeat and gets actions in the answer. A Slot runs an attempt in a goroutine; when the
// attempt ends, its node sends a heartbeat at once. Reduces fetch the segments of finished maps by
// plain calls, not by messages. Only the first attempt of a task that asks may commit.
//
// Invariants: actors never block. User code runs in attempts; output set-up and commit run in
// goroutines of the job. The scheduling.Core alone makes decisions; Config.Calls logs its calls.
// Nodes are emulated: no other process is involved, and [Cluster.KillNode] injects a node's loss.
//
// A job's result can stay in the nodes' memory as a [Dataset]; see [Keep], [Load] and [Collect]. A
// [Pipeline] runs several jobs as one unit.
//
// Reading order, along the life of a job: submit.go and splits.go; jobtracker.go, node.go and
// slot.go, each an actor with its messages; attempt.go; shuffle.go and fetch.go; run.go (reports,
// commit and end). Then stop.go (attempts that hang), recovery.go and package state (after a panic
// or a kill), namenode.go, commands.go, dataset.go, pipeline.go.
package actors
