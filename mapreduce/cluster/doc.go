// Package cluster is for those who run plans: what a cluster, or a process that runs single tasks
// for one, needs of a job that package mapreduce has bound. Programs that write jobs do not need
// it.
//
//   - A [Plan] is a job with its types erased: its input is cut into splits, its tasks run as
//     attempts,
//     its output is committed. plan.go has the order of the calls.
//   - A [MapAttempt] and a [ReduceAttempt] are one try of one task, with the [Resources] that it
//     may use:
//     memory, places to spill, a way to suspend it, progress and counters.
//   - A [MapOutput] is what a map leaves: a [Segment] for each reduce. [Imports] gathers segments
//     that come
//     from other processes.
//   - A [Layout] lets another process run tasks of an equal plan.
//   - [KeptParts] are an output that stays in memory.
//
// [Tasks] is what package mapreduce implements with the job's types, and [RunLocal] runs a plan in
// one goroutine.
//
// Reading order: plan.go, splits.go, smallfiles.go, attempt.go, resources.go, watch.go; runlocal.go
// for all of it in forty lines; export.go and layout.go for other processes; holds.go for kept
// parts, resume.go for runs that go on with what an earlier one has left.
package cluster
