package mapreduce_test

import (
	"fmt"

	"github.com/tarry-mr/tarry/mapreduce"
)

// If a few records need much work, SplitSize(1) gives each its own map, on any free slot.
func ExampleInput_SplitSize() {
	type count = mapreduce.Pair[int, int] // a number and how many primes are below it
	job := mapreduce.MapOnly[int, count]{
		Map: func(n int, emit func(count)) error {
			primes := 0
			for p := 2; p < n; p++ {
				divisor := 2
				for divisor*divisor <= p && p%divisor != 0 {
					divisor++
				}
				if divisor*divisor > p {
					primes++
				}
			}
			emit(mapreduce.MakePair(n, primes))
			return nil
		},
	}
	var out mapreduce.Collected[count]
	if ran(job.Bind(mapreduce.Slice([]int{100, 1000, 10000}).SplitSize(1), out.Output())) {
		fmt.Println(out.Parts())
	}
	// Output: [[{100 25}] [{1000 168}] [{10000 1229}]] <nil>
}
