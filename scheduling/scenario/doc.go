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
// job, pool, queue or task is an error, never ignored; so is an option or a progress that has no
// effect with the scheduler's other options. Without a time, before the first at:
//
//	cluster racks=R nodes=N map=M reduce=R        N nodes a rack, named tt1, tt2, …; first
//	scheduler NAME [OPTION…]                      a preset of package scheduling; second
//	[at T] node NAME [rack=1] [map=0] [reduce=0]  one more node
//	pool NAME [min=a/b] [max=a/b] [weight=W] [mode=fair|fifo] [max-jobs=N] [min-timeout=T]     hfs
//	user NAME max-jobs=N                                                                       hfs
//	default [pool-mode=M] [pool-max-jobs=N] [user-max-jobs=N] [min-timeout=T]                  hfs
//	queue NAME [capacity=%] [max=%] [parent=Q] [user-limit=%] [priorities=on]                  capacity
//	  [init-jobs=N] [user-factor=X] [init-limit=N] [job-limit=N]
//
// Options of every scheduler: skip=D or D1/D2, node-delay=T and rack-delay=T (or auto),
// slow-start=PART (default 0), reduce-placement=any|cogrs|larts, reduce-node-delay=T,
// reduce-rack-delay=T, reserve-long=SLOTS with long-task=T. Of fifo and hfs: spread=on|off. Of hfs:
// assign-multiple, preemption=on|off|log, fair-timeout, size-based-weight, new-job-boost=FACTOR:T,
// load-max-diff, allocations=FILE. Of hfsp: preempt=eager|wait|kill, training, sample, delta, xi,
// initial, suspend-high, suspend-low, estimator=mean|fit, weighted. Of quincy: rule=qfp|qf|qp|q,
// rack-cost=T, far-cost=T, floor=PART, lost=X. In programs that bring parts of policies along
// (Options.Parts) order=, locality= and reduce-placement= name these.
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
// Reading order: parse.go, setup.go, schedulers.go, events.go, questions.go, state.go, drive.go,
// compare.go, run.go.
package scenario
