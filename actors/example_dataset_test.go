package actors_test

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/mapreduce"
)

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
	}.On(mapreduce.Slice(lines))
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
	}.On(words.Input()))
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
	sides := mapreduce.Each(func(g mapreduce.Group[string, wordCount, wordCount]) string {
		return fmt.Sprintf("%s: %d and %d", g.Key, len(g.Left), len(g.Right))
	})
	list, err := actors.Collect(ctx, cluster, sides.On(groups))
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
		}}.On(now.Input()))
	}
	last, err := actors.Iterate(ctx, start, 8, collatz, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(last.Collect(ctx))
	// Output: [142 1] <nil>
}
