// Package zaharia10 reproduces the tables and figures of [Zaharia10], "Delay Scheduling: A Simple
// Technique for Achieving Locality and Fairness in Cluster Scheduling": one file an experiment, and
// warehouse.go and macro.go for what several have in common.
package zaharia10
