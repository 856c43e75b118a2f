// Package setup has what experiments of several papers share: clusters and the sentences that
// describe them, policies, workloads, the slots that jobs hold over time, and the placement of
// reduces as a separate problem.
package setup
