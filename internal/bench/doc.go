// Package bench runs Tarry, the hand-tuned programs of package limit and the tools on this machine
// side by side, and says how they compare. Command bench (in cmd/bench) is what `make bench` and
// `make bench QUICK=1` run; docs/benchmarks.md tells how its figures are made and how to read them.
//
// A [Contest] is one task on one input with several [Program]s that do it. Run lets them take
// turns: each round runs every program once, as a child process, after reading the input so that it
// is in the page cache. A ratio is always taken within a round and then its median over the rounds,
// because a virtual machine's speed drifts by a factor in minutes while neighbors in time see the
// same machine. The results of a contest's programs are compared too: a fast wrong answer is an
// error, not a figure.
//
// Reading order: contest.go, measure.go, target.go, contests.go, targets.go, report.go.
package bench
