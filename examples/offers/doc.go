// Package offers implements two-level scheduling as in Nexus, later Mesos [Hindman11]: a master
// offers each free slot to one framework at a time, by fair sharing, and the framework accepts it
// for one of its jobs or refuses it. Each framework chooses the order of its jobs and its delay
// scheduling [Zaharia10 §6].
//
//	core := scheduling.Config{Parts: offers.Parts(offers.Config{
//		Filter: 5 * time.Second,
//		Frameworks: []offers.Framework{
//			{Name: "production", FIFO: true, Waits: []time.Duration{5 * time.Second}},
//			{Name: "research"},
//		},
//	})}
//	policy := offers.Policy()
//
// Frameworks are pools: the jobs of a framework are those with its name as JobSpec.Pool. The model
// has one master and one Core, so that an offer takes no time and is never withheld. It models
// which framework is offered a slot, in what order, and what a refusal costs.
package offers
