//go:build !race

package main

// raceEnabled says that the race detector watches.
const raceEnabled = false
