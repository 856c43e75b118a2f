// Package hammoud12 reproduces the figures and the evaluation of [Hammoud12], "Center-of-Gravity
// Reduce Task Scheduling to Lower MapReduce Network Traffic": one file an experiment.
package hammoud12
