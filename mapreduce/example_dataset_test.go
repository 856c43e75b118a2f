package mapreduce_test

import (
	"fmt"

	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
)

// A dataset keeps the output of one job in memory, for other jobs to read.
func ExampleNewDataset() {
	kept := mapreduce.NewDataset[int](cluster.KeptOptions{Name: "squares"})
	square := mapreduce.MapOnly[int, int]{Map: func(n int, emit func(int)) error {
		emit(n * n)
		return nil
	}}
	ran(square.Bind(mapreduce.Slice([]int{1, 2, 3}), kept.Output()))
	var out mapreduce.Collected[int]
	ran(square.Bind(kept.Input(), out.Output()))
	fmt.Println(kept.Records())
	fmt.Println(out.Records())
	kept.Release()
	ran(square.Bind(kept.Input(), out.Output()))
	// Output:
	// [1 4 9] <nil>
	// [1 16 81] <nil>
	// squares: released
}

// Two datasets keyed alike are joined by key without a shuffle.
func ExampleGrouped() {
	type stock = mapreduce.Pair[string, int]
	name := func(s stock) string { return s.First }
	keep := func(list []stock) *mapreduce.KeyedDataset[string, stock] {
		kept := mapreduce.NewKeyedDataset(cluster.KeptOptions{}, name)
		byName := mapreduce.Job[stock, string, int, stock]{
			Map:      func(s stock, emit func(string, int)) error { emit(s.First, s.Second); return nil },
			Reducers: 2,
		}
		ran(byName.Bind(mapreduce.Slice(list), kept.Output()))
		return kept
	}
	have := keep([]stock{{First: "tea", Second: 3}, {First: "rice", Second: 1}})
	want := keep([]stock{{First: "tea", Second: 5}, {First: "milk", Second: 2}})
	report := mapreduce.MapOnly[mapreduce.Group[string, stock, stock], string]{
		Map: func(g mapreduce.Group[string, stock, stock], emit func(string)) error {
			emit(fmt.Sprint(g.Key, " have ", g.Left, " want ", g.Right))
			return nil
		},
	}
	show(report.On(mapreduce.Grouped(have.Feed(), want.Feed())))
	// Unordered output:
	// rice have [{rice 1}] want []
	// milk have [] want [{milk 2}]
	// tea have [{tea 3}] want [{tea 5}]
}
