// Package setup is shared by the experiments of several papers: clusters with their sentences
// for the set-ups, policies, workloads, the slots that jobs hold over time, and the placement of
// reduces as a separate problem.
package setup
