// Package scenario runs scheduling scenarios: small text files with a cluster, a scheduler, and a timed list of events with the answers that the
// scheduling core must give. `tarry scenario FILE...` and the tests of package scheduling use the same interpreter, and
// that uses the same core as the live JobTracker and the simulator.
//
//	cluster racks=2 nodes=2 map=2 reduce=2
//	scheduler hfs node-delay=5s rack-delay=10s
//	pool pool1
//	at 0s submit J1 maps=1 reduces=0 pool=pool1 data=tt4
//	at 1s heartbeat tt1 => -
//	at 1s heartbeat tt4 => J1.m0
//
// One statement a line; # starts a comment; an unknown word, option, node, job, pool, queue or task is an error, never ignored. docs/scenarios.md
// describes the language.
//
// Reading order: parse.go, setup.go, events.go, questions.go, drive.go, compare.go, run.go.
package scenario
