package actors_test

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/mapreduce"
)

func Example() {
	cluster, err := actors.Start(actors.Config{Nodes: 4, Racks: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer cluster.Close()

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
	var out mapreduce.Collected[count]
	text := mapreduce.Bytes("rhyme", []byte("tarry a while\nsaid slow\nlet us tarry\n"))
	plan, err := job.Bind(mapreduce.Lines(text), out.Output())
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	handle, err := cluster.Submit(ctx, plan, actors.SubmitOptions{User: "ada"})
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := handle.Wait(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	counts, err := out.Records()
	fmt.Println(result.State, counts, err)
	// Output: succeeded [{a 1} {let 1} {said 1} {slow 1} {tarry 2} {us 1} {while 1}] <nil>
}
