// Package scenario runs scheduling scenarios: small text files with a cluster, a scheduler, and a
// timed list of events with the answers that the scheduling core must give. `tarry scenario
// FILE...` and the tests of package scheduling use the same interpreter, and that uses the same
// core as the live JobTracker and the simulator.
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
// One statement a line; # starts a comment; times are Go durations since the cluster's start and
// never decrease; a/b is maps/reduces; - means none, inf no limit. An unknown word, option, node,
// job, pool, queue or task is an error, never ignored; so is a progress that has no effect. Without a time, before the first at:
//
//	cluster racks=R nodes=N map=M reduce=R        N nodes a rack, named tt1, tt2, …; first
//	scheduler NAME [OPTION…]                      a preset of package scheduling; second
//	[at T] node NAME [rack=1] [map=0] [reduce=0]  one more node
//	pool NAME [KEY=VALUE…]   user NAME [KEY=VALUE…]   default [KEY=VALUE…]                     hfs
//	queue NAME [KEY=VALUE…]                                                                    capacity
//
// Options of a scheduler are the settings of policy files, by their keys or the ends of these
// (policyfile.Find), and those of pools, users and queues are the keys of their entries; see
// docs/simulator.md for the short words that stand for some of them. A setting that has no effect
// beside the others is an error. allocations=FILE is a fair-scheduler.xml; in programs that bring
// parts of policies along (Options.Parts) order=, locality= and reduce-placement= name these.
//
// Events, all with at T:
//
//	submit J maps=N reduces=N [pool=P] [user=U] [priority=P] [queue=Q] [data=SPEC]
//	  [map-time=T] [reduce-time=T] [slots-per-task=N]
//	done TASK…   fail TASK…   progress TASK=PART…   output MAP BYTES…   set J priority=P | pool=P
//
// SPEC says where the maps' data lies: tt4, tt1|tt2, all, or by map 0:tt1,1-3:tt3|tt4. Questions,
// with the answer expected after =>:
//
//	heartbeat NODE   order [reduce]   runnable   preempt      compared as a whole
//	need                                                      as a whole, in any order
//	shares   demand   running   weights   capacities          only the names expected;
//	  locality J   virtual J [reduce]                           pool:P and queue:Q besides jobs
//	gravity REDUCE   wtnd REDUCE NODE   tnd REDUCE NODE
//
// Numbers hold within 0.01, durations by value. A file that ends in `run until=T => J=FINISH…`
// drives itself: tasks take their times, nodes send heartbeats whenever a task ends or a job
// arrives, and each second.
//
// Reading order: parse.go, setup.go, policy.go, events.go, questions.go, state.go, drive.go,
// compare.go, run.go.
package scenario
