// Package worker runs the tasks of a plan in other processes: under an engine that the world already
// runs, or under this program itself.
//
// An engine has to do four things: start task i somewhere, move bytes from map i to reduce p, try again
// what fails, and say which attempt won. It carries segments, not records: a map ends as a few frames
// of at most 1 MiB, sorted and combined here; a reduce takes its frames in any order.
//
//	submitter   SetupJob, Prepare, Splits ─▶ OUT/_temporary/plan.json
//	map i       the program with TARRY_TASK set ─▶ standard output: frames (partition, map, chunk, salt)
//	engine      frames by partition
//	reduce p    the program with TARRY_TASK set ─▶ OUT/_temporary/r-00003-ATTEMPT, a report of a line
//	submitter   renames what the reports name ─▶ OUT/part-r-00003, _SUCCESS
//
// The program is its own worker: its main function begins with [Main]; started with the same arguments it
// binds the same plans, and actors.Run, which sees TARRY_TASK, runs that one task and ends the process. So it must come to the
// same plans whenever and wherever it is started: not by the time, a random number or standard input.
package worker
