// Package scenario runs scheduling scenarios: small text files with a cluster, a scheduler, and a
// timed list of events with the expected answers of the scheduling core. `tarry scenario FILE...`
// and the tests of package scheduling share this interpreter. It uses the same core as the live
// JobTracker and the simulator.
//
//	cluster racks=2 nodes=2 map=2 reduce=2
//	scheduler hfs node-delay=5s rack-delay=10s
//	pool pool1
//	at 0s submit J1 maps=1 reduces=0 pool=pool1 data=tt4
//	at 1s heartbeat tt1 => -
//	at 1s heartbeat tt4 => J1.m0
//
// # Statements
//
// A line has one statement; # starts a comment. Times are Go durations since the cluster's start
// and never decrease. a/b is maps/reduces; - means none, inf no limit. An unknown word, option,
// node, job, pool, queue or task is an error, never ignored; so is a progress that has no effect.
// Statements without a time, before the first at:
//
//	cluster racks=R nodes=N map=M reduce=R        N nodes a rack, named tt1, tt2, …; first
//	scheduler NAME [OPTION…]                      a preset of package scheduling; second
//	[at T] node NAME [rack=1] [map=0] [reduce=0]  one more node
//	pool NAME [KEY=VALUE…]   user NAME [KEY=VALUE…]   default [KEY=VALUE…]                     hfs
//	queue NAME [KEY=VALUE…]                                                                    capacity
//
// Options of a scheduler are the settings of policy files, by key or by the end of a key
// (policyfile.Find); those of pools, users and queues are the keys of their entries.
// docs/simulator.md lists short words for some of them. A setting without effect is an error.
// allocations=FILE names a fair-scheduler.xml. In programs with custom parts of policies
// (Options.Parts), order=, locality= and reduce-placement= may name these.
//
// Events, all with at T:
//
//	submit J maps=N reduces=N [pool=P] [user=U] [priority=P] [queue=Q] [data=SPEC]
//	  [map-time=T] [reduce-time=T] [slots-per-task=N]
//	done TASK…   fail TASK…   progress TASK=PART…   output MAP BYTES…   set J priority=P | pool=P   kill J
//
// SPEC gives the places of the maps' data: tt4, tt1|tt2, all, or by map 0:tt1,1-3:tt3|tt4.
// Questions, with the expected answer after =>:
//
//	heartbeat NODE   idle NODE   order [reduce]   runnable   preempt   compared as a whole
//	need                                                      as a whole, in any order
//	shares   demand   running   weights   capacities          only the names expected;
//	  locality J   virtual J [reduce]                           pool:P and queue:Q besides jobs
//	gravity REDUCE   wtnd REDUCE NODE   tnd REDUCE NODE
//
// Numbers are equal within 0.01, durations by value. A file that ends in `run until=T => J=FINISH…`
// drives itself: tasks take their times, and nodes send heartbeats whenever a task ends or a job
// arrives, and each second.
//
// Reading order: parse.go, interpret.go, setup.go, policy.go, statements.go, names.go, events.go,
// questions.go, drive.go, compare.go, run.go.
package scenario
