// Package setup is what experiments of several papers share: clusters and what is said of them,
// policies and how they are run against each other, workloads, statistics of results, and the
// placement of reduces as a problem of its own.
package setup
