package mapreduce_test

import (
	"context"
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
	plan, err := job.Bind(mapreduce.Slice([]int{100, 1000, 10000}).SplitSize(1), out.Output())
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := mapreduce.RunLocal(context.Background(), plan, mapreduce.LocalOptions{}); err != nil {
		fmt.Println(err)
		return
	}
	parts, err := out.Parts()
	fmt.Println(parts, err)
	// Output: [[{100 25}] [{1000 168}] [{10000 1229}]] <nil>
}
