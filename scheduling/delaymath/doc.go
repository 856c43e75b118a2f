// Package delaymath has the formulas of delay scheduling [Zaharia10 §3.2–§3.6, §4.1]. How long must
// a job wait for a node-local slot to reach a given locality, and which locality does a given wait
// reach? The package makes no decisions: administrators and experiments choose the skip count D, or
// the waits W1 and W2, by it.
//
// The letters are those of the paper:
//
//	N  tasks (maps) of the job              K  of them not yet launched, 1 ≤ K ≤ N
//	M  nodes of the cluster                 L  slots per node, S = L·M slots of the cluster
//	R  replicas of each block               T  time of a task
//	D  skip count: slot offers a job refuses before it launches a map that is not local
//	p  fraction of the nodes with data of the job's remaining tasks
//	λ  wanted locality, the fraction of the job's tasks that run node-local, 0 ≤ λ < 1
//	f  fraction of the slots that one job holds    φ  fraction of the slots held by long tasks
//
// The package adds Q, the number of racks, and C, the number of racks with a replica of one block:
// 2 under HDFS's placement of three replicas.
//
// Probabilities and localities are fractions of 1, not percentages. Counts of offers are float64,
// because Equation 2 and rates yield fractions; integer skip counts are int. Arguments outside the
// documented range give NaN, or a duration of -1, never a panic; Setup.Validate explains what is
// wrong. All functions are pure and safe for concurrent use.
package delaymath
