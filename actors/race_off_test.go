//go:build !race

package actors

import "net/netip"

// raceEnabled reports whether the race detector is on. Tests then do less, because they run about
// ten times slower.
const raceEnabled = false

// randomKinds returns the trials of TestRandomJobs, one for each pair of key and value types.
func randomKinds() []randomTrial {
	return []randomTrial{
		trial(strs(), numbers()), trial(strs(), bags()), trial(byteSlices(), numbers()), trial(ints[int64](), sets()),
		trial(ints[uint16](), numbers()), trial(floats(), numbers()), trial(instants(), longest()), trial(bigInts(), numbers()),
		trial(labels(), sets()), trial(arrays(), longest()), trial(threes(), bags()), trial(deeps(), times()),
		trial(stampeds(), numbers()), trial(scalar(addr, netip.Addr.Compare), numbers()),
		trial(pairs(strs(), strs()), bags()), trial(pairs(strs(), ints[int32]()), numbers()), trial(pairs(ints[int32](), byteSlices()), longest()),
		trial(pairs(instants(), strs()), times()), trial(pairs(labels(), floats()), numbers()),
		joining, joining, joining, joining,
		passing(strs(), longest()), passing(byteSlices(), numbers()), passing(pairs(strs(), instants()), bags()),
	}
}
