// Package pastorelli13 reproduces the figures of [Pastorelli13], "HFSP: Size-based Scheduling for
// Hadoop": one file an experiment, and dataset.go for the workload that they share.
package pastorelli13
