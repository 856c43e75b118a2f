// Package workload says what a simulated cluster is asked to do: jobs, when they come, what they
// read, compute and write.
//
//	r := rand.New(rand.NewPCG(1, 0))
//	w := workload.FacebookIO(r)              // Table 2 of the delay scheduling paper, 100 jobs
//	w, err := workload.ReadSWIM(file, "FB-2009.tsv", workload.TraceOptions{Nodes: 600, OriginalNodes: 600})
//	w, err := workload.ReadYAML(file, "mine.yaml", r)
//
// Every generator takes the random source it uses, so that the same seed gives the same jobs
// anywhere. Readers refuse what they cannot mean, with file, line and reason.
//
// A workload holds no schedule of tasks and no place of a block, but the racks that a trace tells
// of: package simulator decides those.
//
// Reading order: workload.go, dist.go, facebook.go, hfsp.go, micro.go, hotfiles.go, swim.go,
// coflow.go, coflowjobs.go, tasktimes.go, sls.go, alibaba.go, yaml.go.
package workload
