package mapreduce_test

import (
	"fmt"
	"os"

	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
)

// A map attempt can have its own variables and counters, and emit at its end, in Close.
func ExampleMapper() {
	type line = mapreduce.Pair[int, string] // its length, and where it is
	longest := mapreduce.Job[string, mapreduce.None, line, mapreduce.Pair[mapreduce.None, line]]{
		MapTask: func(t *mapreduce.Task) (mapreduce.Mapper[string, mapreduce.None, line], error) {
			short := t.Counter("Lines", "short")
			best := line{}
			return mapreduce.Mapper[string, mapreduce.None, line]{
				Map: func(text string, _ func(mapreduce.None, line)) error {
					if len(text) < 5 {
						short.Add(1)
					}
					if len(text) > best.First {
						best = mapreduce.MakePair(len(text), fmt.Sprintf("%s, byte %d: %s", t.InputName(), t.Offset(), text))
					}
					return nil
				},
				Close: func(emit func(mapreduce.None, line)) error {
					emit(mapreduce.None{}, best)
					return nil
				},
			}, nil
		},
		Combine: func(a, b line) line {
			if b.First > a.First {
				return b
			}
			return a
		},
	}
	text := mapreduce.Bytes("text", []byte("tea\ncoffee\nmilk\n"))
	counters := run(longest.Bind(mapreduce.LineStrings(text),
		mapreduce.Text[mapreduce.Pair[mapreduce.None, line]](mapreduce.Writer("-", os.Stdout))))
	fmt.Println(counters.Named("Lines", "short"), "short lines")
	// Output:
	// 6	text, byte 4: coffee
	// 2 short lines
}

// A dataset keeps the output of one job in memory, for other jobs to read.
func ExampleNewDataset() {
	kept := mapreduce.NewDataset[int](cluster.KeptOptions{Name: "squares"})
	square := mapreduce.MapOnly[int, int]{Map: func(n int, emit func(int)) error {
		emit(n * n)
		return nil
	}}
	run(square.Bind(mapreduce.Slice([]int{1, 2, 3}), kept.Output()))
	var out mapreduce.Collected[int]
	run(square.Bind(kept.Input(), out.Output()))
	fmt.Println(kept.Records())
	fmt.Println(out.Records())
	kept.Release()
	run(square.Bind(kept.Input(), out.Output()))
	// Output:
	// [1 4 9] <nil>
	// [1 16 81] <nil>
	// squares: released
}

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
	if run(job.Bind(mapreduce.Slice([]int{100, 1000, 10000}).SplitSize(1), out.Output())) != nil {
		fmt.Println(out.Parts())
	}
	// Output: [[{100 25}] [{1000 168}] [{10000 1229}]] <nil>
}
