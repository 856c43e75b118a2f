//go:build race

package actors

// raceEnabled reports whether the race detector is on. Tests then do less, because they run about
// ten times slower.
const raceEnabled = true
