//go:build race

package engine

// raceEnabled tells whether the race detector is on, under which all is some ten times slower.
const raceEnabled = true
