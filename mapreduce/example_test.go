package mapreduce_test

import (
	"context"
	"fmt"
	"iter"
	"os"
	"slices"
	"strings"

	"github.com/tarry-mr/tarry/mapreduce"
)

func Example() {
	type count = mapreduce.Pair[string, int64]
	job := mapreduce.Job[[]byte, string, int64, count]{
		Name: "wordcount",
		Map: func(line []byte, emit func(string, int64)) error {
			for w := range strings.FieldsSeq(string(line)) {
				emit(w, 1)
			}
			return nil
		},
		Sum: true,
		Reduce: func(word string, counts iter.Seq[int64], emit func(count)) error {
			var n int64
			for c := range counts {
				n += c
			}
			emit(mapreduce.MakePair(word, n))
			return nil
		},
	}
	text := mapreduce.Bytes("text", []byte("to be or not to be\nthat is the question"))
	plan, err := job.Bind(mapreduce.Lines(text), mapreduce.Text[count](mapreduce.Writer("-", os.Stdout)))
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := mapreduce.RunLocal(context.Background(), plan, mapreduce.LocalOptions{}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// be	2
	// is	1
	// not	1
	// or	1
	// question	1
	// that	1
	// the	1
	// to	2
}

// NewJob infers the types of a job from its functions.
func ExampleNewJob() {
	lengths := mapreduce.NewJob(func(word string, emit func(int, string)) error {
		emit(len(word), word)
		return nil
	}, func(length int, words iter.Seq[string], emit func(string)) error {
		emit(fmt.Sprint(length, slices.Sorted(words)))
		return nil
	})
	show(lengths.Over(mapreduce.Slice([]string{"tarry", "a", "while"})))
	// Output:
	// 1 [a]
	// 5 [tarry while]
}

// Without Reduce every pair is passed on, in key order.
func ExampleJob_Over() {
	sort := mapreduce.Job[[]byte, []byte, mapreduce.None, mapreduce.Pair[[]byte, mapreduce.None]]{
		Name: "sort",
		Map: func(line []byte, emit func([]byte, mapreduce.None)) error {
			emit(line, mapreduce.None{})
			return nil
		},
		TotalOrder: true,
		Reducers:   2,
	}
	text := mapreduce.Bytes("text", []byte("pear\napple\nfig\napple\n"))
	show(sort.Over(mapreduce.Lines(text)))
	// Output:
	// apple
	// apple
	// fig
	// pear
}
