// Package cluster is the interface for code that runs plans: a cluster, or a process that runs
// single tasks for one. It provides what they need of a job that package mapreduce has bound.
// Programs that only write jobs do not need it.
//
//   - A [Plan] is a job with erased types: its input is split, its tasks run as attempts, its
//     output is committed. plan.go documents the order of the calls. [Bound] tells about the job.
//   - A [MapAttempt] and a [ReduceAttempt] are one try at a task, with [Resources]: memory, places
//     to spill, suspension, progress and counters.
//   - A [MapOutput] is the output of a map: a [Segment] for each reduce. [Imports] collects
//     segments from other processes.
//   - A [Layout] lets another process run tasks of an equal plan.
//   - [KeptParts] are an output that stays in memory.
//
// Package mapreduce implements [Tasks] with the job's types. [RunLocal] runs a plan in one
// goroutine.
//
// Reading order: plan.go, bound.go, splits.go, smallfiles.go, attempt.go, resources.go, watch.go;
// runlocal.go uses all of it in forty lines; export.go and layout.go for other processes; holds.go
// for kept parts.
package cluster
