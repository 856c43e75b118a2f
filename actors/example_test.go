package actors_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
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

// The context of RunOn ends the job with its caller. The job's map would wait for ever.
func ExampleRunOn() {
	cluster, err := actors.Start(actors.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer cluster.Close()

	ctx, leave := context.WithCancelCause(context.Background())
	job := mapreduce.MapOnly[int, int]{MapTask: func(t *mapreduce.Task) (mapreduce.Filter[int, int], error) {
		return mapreduce.Filter[int, int]{Map: func(int, func(int)) error {
			leave(errors.New("the client has hung up"))
			<-t.Context().Done()
			return context.Cause(t.Context())
		}}, nil
	}}
	plan, err := job.Bind(mapreduce.Slice([]int{1}), new(mapreduce.Collected[int]).Output())
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := actors.RunOn(ctx, cluster, plan, actors.SubmitOptions{})
	fmt.Println(result.State, errors.Is(err, actors.ErrJobKilled), errors.Is(err, context.Canceled))
	fmt.Println(err)
	// Output:
	// killed true true
	// job killed: job_0001 "job": context canceled: the client has hung up
}

type wordCount = mapreduce.Pair[string, int]

// countWords counts the words of lines.
func countWords(lines ...string) func(mapreduce.Output[wordCount]) (*mapreduce.Plan, error) {
	return mapreduce.Job[string, string, int, wordCount]{
		Name: "wordcount",
		Map: func(line string, emit func(string, int)) error {
			for w := range strings.FieldsSeq(line) {
				emit(w, 1)
			}
			return nil
		},
		Combine: func(a, b int) int { return a + b }, Reducers: 2,
	}.Over(mapreduce.Slice(lines))
}

func ExampleKeep() {
	ctx := context.Background()
	cluster, err := actors.Start(actors.Config{Nodes: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer cluster.Close()
	words, err := actors.Keep(ctx, cluster, countWords("to tarry is to wait", "a while")) // runs the job
	if err != nil {
		fmt.Println(err)
		return
	}
	defer words.Release()
	often, err := actors.Collect(ctx, cluster, mapreduce.MapOnly[wordCount, string]{
		Map: func(c wordCount, emit func(string)) error {
			if c.Second > 1 {
				emit(c.First)
			}
			return nil
		},
	}.Over(words.Input()))
	fmt.Println(often, err)
	frequency, add := func(c wordCount) int { return c.Second }, func(a, b int) int { return a + b }
	total, err := actors.Fold(ctx, cluster, words.Input(), frequency, add) // reads what it left
	fmt.Println(total, err)
	// Output:
	// [to] <nil>
	// 7 <nil>
}

func ExampleKeepBy() {
	ctx := context.Background()
	cluster, err := actors.Start(actors.Config{Nodes: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer cluster.Close()
	word := func(c wordCount) string { return c.First }
	then, err := actors.KeepBy(ctx, cluster, word, countWords("tarry tarry wait"))
	if err != nil {
		fmt.Println(err)
		return
	}
	now, err := actors.KeepBy(ctx, cluster, word, countWords("tarry go"))
	if err != nil {
		fmt.Println(err)
		return
	}
	join := mapreduce.Join(then.Feed(), now.Feed(), func(word string, then, now wordCount, emit func(string)) error {
		emit(fmt.Sprintf("%s: %d, now %d", word, then.Second, now.Second))
		return nil
	})
	fmt.Println(actors.Collect(ctx, cluster, join.Bind))
	groups := mapreduce.Grouped(then.Feed(), now.Feed()) // a Group{Key, Left, Right} for each key
	sides := mapreduce.Apply(func(g mapreduce.Group[string, wordCount, wordCount]) string {
		return fmt.Sprintf("%s: %d and %d", g.Key, len(g.Left), len(g.Right))
	})
	list, err := actors.Collect(ctx, cluster, sides.Over(groups))
	slices.Sort(list)
	fmt.Println(list, err)
	// Output:
	// [tarry: 2, now 1] <nil>
	// [go: 0 and 1 tarry: 1 and 1 wait: 1 and 0] <nil>
}

func ExampleCluster_Pipeline() {
	cluster, err := actors.Start(actors.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer cluster.Close()
	var words *actors.Dataset[wordCount]
	err = cluster.Pipeline(context.Background(), func(ctx context.Context, p *actors.Pipeline) error {
		lines, err := actors.Load(ctx, p, mapreduce.Slice([]string{"a b", "b"})) // released in the end
		if err != nil {
			return err
		}
		text, err := lines.Collect(ctx)
		if err != nil {
			return err
		}
		if words, err = actors.Keep(ctx, p, countWords(text...)); err == nil {
			words.Retain()
		}
		return err
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(words.Size().Records)
	// Output: 2
}

func ExampleIterate() {
	ctx := context.Background()
	cluster, err := actors.Start(actors.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer cluster.Close()
	start, err := actors.Load(ctx, cluster, mapreduce.Slice([]int{27, 6}))
	if err != nil {
		fmt.Println(err)
		return
	}
	collatz := func(ctx context.Context, _ int, now *actors.Dataset[int]) (*actors.Dataset[int], error) {
		return actors.Keep(ctx, cluster, mapreduce.MapOnly[int, int]{Map: func(n int, emit func(int)) error {
			switch {
			case n == 1:
			case n%2 == 0:
				emit(n / 2)
			default:
				emit(3*n + 1)
			}
			return nil
		}}.Over(now.Input()))
	}
	last, err := actors.Iterate(ctx, start, 8, collatz, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(last.Collect(ctx))
	// Output: [142 1] <nil>
}
