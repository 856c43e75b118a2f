// Package offers is two-level scheduling, as Nexus, later Mesos, has it [Hindman11]: a master offers
// each free slot to one framework at a time, by fair sharing, and the framework takes it for one of
// its jobs or refuses. The order of its jobs and delay scheduling are each framework's own choice
// [Zaharia10 §6].
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
// Frameworks are pools: the jobs of a framework are those whose JobSpec.Pool is its name. There is
// one master here and one Core, so that an offer takes no time and is never held back; what is
// modelled is who is asked, in what order, and what a refusal costs.
package offers
