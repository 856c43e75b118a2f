package mapreduce_test

import (
	"context"
	"fmt"
	"os"

	"github.com/tarry-mr/tarry/mapreduce"
)

// A map attempt can have its own variables and counters, and emit at its end, in Close.
func ExampleMapper() {
	longest := mapreduce.Job[string, mapreduce.None, string, mapreduce.Pair[mapreduce.None, string]]{
		MapTask: func(t *mapreduce.Task) (mapreduce.Mapper[string, mapreduce.None, string], error) {
			short := t.Counter("Lines", "short")
			best := ""
			return mapreduce.Mapper[string, mapreduce.None, string]{
				Map: func(line string, _ func(mapreduce.None, string)) error {
					if len(line) < 5 {
						short.Add(1)
					}
					if len(line) > len(best) {
						best = line
					}
					return nil
				},
				Close: func(emit func(mapreduce.None, string)) error {
					emit(mapreduce.None{}, best)
					return nil
				},
			}, nil
		},
		Combine: func(a, b string) string {
			if len(b) > len(a) {
				return b
			}
			return a
		},
	}
	text := mapreduce.Bytes("text", []byte("tea\ncoffee\nmilk\n"))
	plan, err := longest.Bind(mapreduce.LineStrings(text),
		mapreduce.Text[mapreduce.Pair[mapreduce.None, string]](mapreduce.Writer("-", os.Stdout)))
	if err != nil {
		fmt.Println(err)
		return
	}
	counters, err := mapreduce.RunLocal(context.Background(), plan, mapreduce.LocalOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(counters.Named("Lines", "short"), "short lines")
	// Output:
	// coffee
	// 2 short lines
}

// Slice is an input in memory, and Collected an output in memory.
func ExampleCollected() {
	squares := mapreduce.MapOnly[int, mapreduce.Pair[int, int]]{
		Map: func(n int, emit func(mapreduce.Pair[int, int])) error {
			emit(mapreduce.MakePair(n, n*n))
			return nil
		},
	}
	var out mapreduce.Collected[mapreduce.Pair[int, int]]
	if ran(squares.Bind(mapreduce.Slice([]int{2, 3}), out.Output())) {
		fmt.Println(out.Records())
	}
	// Output: [{2 4} {3 9}] <nil>
}
