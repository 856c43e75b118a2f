//go:build race

package actors

// raceEnabled reports whether the race detector is on. Tests then do less, because they run about
// ten times slower.
const raceEnabled = true

// randomKinds returns few trials of TestRandomJobs: a type that is summed, one that is combined and
// changed in place, joins, and jobs without a Reduce. More types do not change what goroutines
// share, and each costs the compiler a second. make test runs all types without the race detector.
func randomKinds() []randomTrial {
	return []randomTrial{
		trial(byteSlices(), numbers()), trial(strs(), bags()), trial(strs(), bags()), joining, joining, passing(strs(), longest()),
	}
}
