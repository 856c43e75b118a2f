// Package own holds the questions that no paper asks: one file an experiment.
package own
