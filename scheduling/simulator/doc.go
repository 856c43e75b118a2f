// Package simulator runs a workload on a cluster in virtual time. Every decision is made by a
// scheduling.Core, the same code that runs live: the simulator only plays the nodes, the network
// and the users.
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
// Two drives: with events a slot is offered the moment it frees, with heartbeats at its node's next
// one. Two networks: constant factors, or flows that share links max-min fairly. The same Config
// and workload give the same bytes, whatever the machine; what is drawn for a task depends on the
// seed and its name alone, so that schedulers compare on equal terms (Compare).
//
// It does not model disks that tasks share, memory, or the time that the JobTracker itself takes.
//
// Reading order: config.go, sim.go, jobs.go, nodes.go, attempt.go, shuffle.go, reduce.go, fetch.go
// (the network's links are internal/netmodel's), report.go, compare.go.
package simulator
