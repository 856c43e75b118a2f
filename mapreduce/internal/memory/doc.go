// Package memory accounts for and supplies the large buffers of the bytes engine.
//
// A [Budget] counts bytes: attempts draw from sub-budgets that share one limit
// fairly, and the outputs of finished attempts stay charged as kept bytes. A
// [Pool] hands out slabs that live outside the Go heap (anonymous mappings with
// huge pages on Linux, plain slices elsewhere) and keeps a bounded number of
// them for the next attempt or job of the same process: fresh memory costs a
// page fault a page, and on a virtual machine that is the larger half of a sort.
//
// TestMatrix of actors/differential runs jobs of all types of keys and values from budgets of 64 KiB on.
package memory
