//go:build !race

package actors

// raceEnabled tells whether the race detector is on, under which all is some ten times slower.
const raceEnabled = false
