// Package memory accounts for and supplies the large buffers of the bytes engine.
//
// A [Budget] counts bytes: attempts charge sub-budgets that share one limit fairly, and the outputs
// of finished attempts stay charged as kept bytes. A [Pool] supplies slabs outside the Go heap
// (anonymous mappings with huge pages on Linux, plain slices elsewhere) and keeps a bounded number
// of them for later attempts or jobs of the same process: fresh memory costs a page fault per page,
// which on a virtual machine is the larger half of a sort.
//
// TestMatrix of actors/differential runs jobs of all types of keys and values with budgets from 64
// KiB.
package memory
