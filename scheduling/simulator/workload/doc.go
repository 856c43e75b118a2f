// Package workload describes the load of a simulated cluster: jobs, when they arrive, and what they
// read, compute and write.
//
//	r := rand.New(rand.NewPCG(1, 0))
//	w := workload.FacebookIO(r)              // Table 2 of the delay scheduling paper, 100 jobs
//	w, err := workload.Read("swim", file, "FB-2009.tsv", workload.TraceOptions{Nodes: 600, OriginalNodes: 600})
//	w, err := workload.ReadYAML(file, "mine.yaml", r)
//
// Every generator takes its random source, so that the same seed gives the same jobs on every
// machine. Readers reject invalid files with file, line and reason.
//
// A workload has no schedule of tasks and no places of blocks, except the racks given by a trace:
// package simulator decides those.
//
// Reading order: workload.go, dist.go, facebook.go, hfsp.go, micro.go, hotfiles.go, trace.go,
// swim.go, coflow.go, sls.go, alibaba.go, yaml.go.
package workload
