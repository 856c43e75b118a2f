// Package simulator runs a workload on a cluster in virtual time. A scheduling.Core makes every
// decision, with the same code as in live runs; the simulator only plays the nodes, the network and
// the users.
//
//	policy, err := scheduling.Preset("hfs")
//	w := workload.FacebookIO(rand.New(rand.NewPCG(1, 0)))
//	res, err := simulator.Run(ctx, simulator.Config{
//		Cluster: simulator.Cluster{Nodes: 100, MapSlots: 4, ReduceSlots: 2},
//		Policy:  policy,
//		Seed:    1,
//	}, &w)
//	fmt.Println(res.Report.Sojourn.Mean, res.Report.Maps.NodeLocal)
//
// It has two drives: with events a slot is offered as soon as it is free, with heartbeats at its
// node's next one. It has two networks: constant factors, or flows that share links max-min fairly.
// The same Config and workload give the same result on every machine. The random numbers of a task
// depend only on the seed and the task's name, so that schedulers compare on equal terms
// ([Compare]).
//
// It does not model memory or the time that the JobTracker itself takes.
//
// Reading order: config.go, sim.go, jobs.go, nodes.go, attempt.go, shuffle.go, reduce.go, fetch.go
// (the network's links are internal/netmodel's), report.go, compare.go.
package simulator
