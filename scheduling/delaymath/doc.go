// Package delaymath is the arithmetic of delay scheduling [Zaharia10 §3.2–§3.6, §4.1]: how long
// must a job wait for a slot beside its data to reach a wanted part of local tasks, and what does a
// given wait bring. It decides nothing; administrators and experiments ask it how to set the skip
// count D or the waits W1 and W2.
//
// The letters are the paper's throughout:
//
//	N  tasks (maps) of the job              K  of them still to launch, 1 ≤ K ≤ N
//	M  nodes of the cluster                 L  slots a node, S = L·M slots of the cluster
//	R  replicas of each block               T  time of a task
//	D  skip count: slot offers a job lets pass before it launches off its data
//	p  part of the nodes on which the job has data left to process
//	λ  wanted locality, the part of the job's tasks that run beside their data, 0 ≤ λ < 1
//	f  part of the slots that one job holds    φ  part of the slots held by long tasks
//
// The package adds Q, the number of racks, and C, the number of racks that hold a copy of one
// block: 2 under HDFS's placement of three replicas.
//
// Probabilities and localities are parts of one, not per cent. Counts of offers are float64,
// because Equation 2 and rates give broken ones; whole skip counts are int. Arguments outside the
// range that a function documents give NaN, or a duration of -1, never a panic; Setup.Validate
// tells a person what is wrong. All functions are pure and safe for concurrent use.
package delaymath
