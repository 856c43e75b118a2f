//go:build race

package actors

// raceEnabled reports whether the race detector is on, which makes everything about ten times
// slower.
const raceEnabled = true

// randomKinds returns the tested pairs of types: one that is summed, one that is combined and
// changed in place, joins, and maps alone. What they share between goroutines does not depend on
// more types, each of which costs the compiler a second; make test runs all of them without the
// race detector.
func randomKinds() []randomTrial {
	return []randomTrial{
		trial(byteSlices(), numbers()), trial(strs(), bags()), trial(strs(), bags()), joining, joining, passing(strs(), longest()),
	}
}
