// Package worker runs the tasks of a plan in other processes: on an existing engine, such as Spark
// or Hadoop, or in processes of this program.
//
// An engine must start task i somewhere, move bytes from map i to reduce p, retry failed attempts,
// and report which attempt won. It moves segments, not records: a map's output is a few frames of
// at most 1 MiB, sorted and combined here, and a reduce accepts its frames in any order.
//
//	submitter   SetupJob, Prepare, Splits ─▶ OUT/_temporary/plan.json
//	map i       the program with TARRY_TASK set ─▶ standard output: frames (partition, map, chunk, salt)
//	engine      frames by partition
//	reduce p    the program with TARRY_TASK set ─▶ OUT/_temporary/r-00003-ATTEMPT, a note
//	submitter   renames what the notes name ─▶ OUT/part-r-00003, _SUCCESS
//
// The program is its own worker: its main function begins with [Main]. An engine starts it with the
// same arguments, it binds the same plans, and actors.Run, which sees TARRY_TASK, runs that one
// task and ends the process. Therefore the program must bind the same plans whenever and wherever
// it starts: plans must not depend on the time, a random number or standard input.
package worker
