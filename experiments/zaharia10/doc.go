// Package zaharia10 reproduces the tables and figures of [Zaharia10], "Delay Scheduling: A Simple
// Technique for Achieving Locality and Fairness in Cluster Scheduling": one file an experiment, and
// warehouse.go and macro.go for what several have in common.
package zaharia10

// unmoved is said of a number that none of the faults of internal/tools/mutants/experiments.yaml moves: that
// it is as published says nothing of the scheduler.
const unmoved = "not judged: no fault that was tried moves it"
