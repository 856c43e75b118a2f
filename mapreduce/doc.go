// Package mapreduce is the API for MapReduce jobs: jobs, inputs, outputs, joins and datasets.
//
// A job is a struct of functions. Bind ties it to an input and an output and erases its types. The
// result is a [Plan]. A cluster (package actors) runs plans in parallel; [RunLocal] runs one in the
// calling goroutine. The package's example counts words.
//
// # Terms
//
// An input consists of sources, usually files. Sources are cut into splits (small files may share
// one), and each split is the work of one map task. An attempt is one execution of a task; a failed
// task is retried as a new attempt. Each reduce task, or each map task of a job without reduces,
// writes one part of the output. A part becomes visible when its attempt commits.
//
// # Determinism
//
// The package reads no clock and no global random source: the same plan over the same bytes writes
// the same bytes, on any cluster. Packages actors and scheduling decide where and when an attempt
// runs.
//
// # Testing
//
// Package mrtest tests jobs. [Plan.Debug] makes a run check the user's functions for silent misuse,
// such as byte slices kept beyond their lifetime.
//
// # Reading order
//
// Jobs: job.go, bind.go, input.go, output.go; typedhalf.go and typedreduce.go call the user's
// functions. Formats: decoded.go, format.go, csv.go. Other inputs: units.go. Other outputs:
// typed.go, routed.go, parts.go. Built from these: feed.go, join.go, broadcast.go, operators.go.
// Output that stays in memory: dataset.go, datasetinput.go, keyeddataset.go, grouped.go.
//
// Package cluster has plans and attempts, for code that runs them. The packages in internal: run
// executes attempts, and jobs in one goroutine; read and csvfile read records, write writes them;
// codec encodes keys and values, input opens sources, output commits parts, segment sorts and
// stores map output, combine folds values by key, kept stores records in memory, watch looks for
// misuse, memory has budgets and pools, fault has the errors of user code.
package mapreduce
