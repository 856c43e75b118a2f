package mapreduce_test

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"os"
	"slices"
	"strings"

	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/counter"
)

// show runs the job that bind binds to an output that writes to standard output.
func show[O any](bind func(mapreduce.Output[O]) (*mapreduce.Plan, error)) {
	run(bind(mapreduce.Text[O](mapreduce.Writer("-", os.Stdout))))
}

// run runs a plan and returns its counters; if it fails, run prints the error and returns nil.
func run(plan *mapreduce.Plan, err error) *counter.Set {
	var counters *counter.Set
	if err == nil {
		counters, err = mapreduce.RunLocal(context.Background(), plan, mapreduce.LocalOptions{})
	}
	if err != nil {
		fmt.Println(err)
		return nil
	}
	return counters
}

type user struct {
	ID   int64
	Name string
}

type order struct {
	User int64
	Item string
}

var (
	users  = mapreduce.Slice([]user{{1, "ann"}, {2, "bob"}, {3, "cid"}})
	orders = mapreduce.Slice([]order{{3, "tea"}, {1, "milk"}, {1, "rice"}, {9, "salt"}})

	usersByID    = mapreduce.Keyed(users, func(u user) int64 { return u.ID })
	ordersByUser = mapreduce.Keyed(orders, func(o order) int64 { return o.User })
)

func ExampleJoin() {
	join := mapreduce.Join(usersByID, ordersByUser, func(_ int64, u user, o order, emit func(string)) error {
		emit(u.Name + " buys " + o.Item)
		return nil
	})
	show(join.Bind)
	// Output:
	// ann buys milk
	// ann buys rice
	// cid buys tea
}

func ExampleLeftJoin() {
	join := mapreduce.LeftJoin(usersByID, ordersByUser, func(_ int64, u user, o *order, emit func(string)) error {
		if o == nil {
			emit(u.Name + " buys nothing")
		}
		return nil
	})
	show(join.Bind)
	// Output:
	// bob buys nothing
}

func ExampleFullJoin() {
	join := mapreduce.FullJoin(usersByID, ordersByUser, func(id int64, u *user, o *order, emit func(string)) error {
		switch {
		case u == nil:
			emit(fmt.Sprint("nobody has number ", id))
		case o == nil:
			emit(u.Name + " buys nothing")
		}
		return nil
	})
	show(join.Bind)
	// Output:
	// bob buys nothing
	// nobody has number 9
}

func ExampleCoGroup() {
	join := mapreduce.CoGroup(usersByID, ordersByUser,
		func(id int64, us []user, os iter.Seq[order], emit func(string)) error {
			n := 0
			for range os {
				n++
			}
			emit(fmt.Sprintf("%d: %d users, %d orders", id, len(us), n))
			return nil
		})
	show(join.Bind)
	// Output:
	// 1: 1 users, 2 orders
	// 2: 1 users, 0 orders
	// 3: 1 users, 1 orders
	// 9: 0 users, 1 orders
}

func ExampleBroadcastJoin() {
	join := mapreduce.BroadcastJoin(orders, func(o order) int64 { return o.User }, usersByID,
		func(o order, matches []user, emit func(string)) error {
			for _, u := range matches {
				emit(o.Item + " for " + u.Name)
			}
			return nil
		})
	show(join.Bind)
	// Output:
	// tea for cid
	// milk for ann
	// rice for ann
}

// Feeds are inputs of different types, each with its own map, for the same reduces.
func ExampleFeeds() {
	log := mapreduce.Bytes("log", []byte("ann logs in\nann logs out\nbob logs in\n"))
	job := mapreduce.Job[mapreduce.TaggedRecord[string, string], string, string, string]{
		Reduce: func(name string, events iter.Seq[string], emit func(string)) error {
			line := name + ":"
			for e := range events {
				line += " " + e
			}
			emit(line)
			return nil
		},
	}
	show(job.Over(mapreduce.Feeds(
		mapreduce.From(users, func(_ *mapreduce.Task, u user, emit func(string, string)) error {
			emit(u.Name, fmt.Sprint("number ", u.ID))
			return nil
		}),
		mapreduce.From(mapreduce.LineStrings(log), func(_ *mapreduce.Task, line string, emit func(string, string)) error {
			name, event, _ := strings.Cut(line, " ")
			emit(name, event)
			return nil
		}),
	)))
	// Output:
	// ann: number 1 logs in logs out
	// bob: number 2 logs in
	// cid: number 3
}

func ExampleDistinct() {
	words := mapreduce.Slice([]string{"to", "be", "or", "not", "to", "be"})
	show(mapreduce.Distinct[string]().Over(words))
	// Output:
	// be
	// not
	// or
	// to
}

func ExampleSortBy() {
	words := mapreduce.Slice([]string{"apple", "fig", "kiwi", "plum", "pea"})
	sort := mapreduce.SortBy(func(w string) int { return len(w) })
	sort.Descending = true
	show(sort.Over(words))
	// Output:
	// apple
	// kiwi
	// plum
	// fig
	// pea
}

func ExampleTopPerKey() {
	words := mapreduce.Slice([]string{"apple", "ant", "avocado", "bee", "banana"})
	longest := mapreduce.TopPerKey(1, func(w string) string { return w[:1] },
		func(a, b string) int { return cmp.Compare(len(a), len(b)) })
	show(longest.Over(words))
	// Output:
	// avocado
	// banana
}

func ExampleQuantilePerKey() {
	words := mapreduce.Slice([]string{"apple", "ant", "avocado", "bee", "banana"})
	median := mapreduce.QuantilePerKey(0.5, func(w string) string { return w[:1] }, func(w string) int { return len(w) })
	show(median.Over(words))
	// Output:
	// a	5
	// b	3
}

func ExampleCountDistinct() {
	visits := mapreduce.Slice([]order{{1, "home"}, {2, "home"}, {1, "home"}, {2, "shop"}})
	visitors := mapreduce.CountDistinct(func(v order) string { return v.Item }, func(v order) int64 { return v.User })
	show(visitors.Over(visits))
	// Output:
	// home	2
	// shop	1
}

func ExampleFieldStrings() {
	fmt.Printf("%q\n", slices.Collect(mapreduce.FieldStrings(" tarry a\twhile ")))
	fmt.Println(len(slices.Collect(mapreduce.FieldStrings(""))))
	// Output:
	// ["tarry" "a" "while"]
	// 0
}

func ExampleSample() {
	numbers := make([]int, 1000)
	counted := mapreduce.Sample[int](0.1, 7)
	var some mapreduce.Collected[int]
	run(counted.Bind(mapreduce.Slice(numbers), some.Output()))
	records, err := some.Records()
	fmt.Println(len(records) > 70, len(records) < 130, err)
	// Output:
	// true true <nil>
}

// A secondary sort: a station's readings in the order of time, which is only in the key.
func ExampleJob_reducePairs() {
	type at = mapreduce.Pair[string, int64]
	type reading struct {
		Station string
		Time    int64
		Degrees float64
	}
	readings := mapreduce.Slice([]reading{{"pole", 2, -31.5}, {"desert", 1, 40}, {"pole", 1, -30}})
	job := mapreduce.Job[reading, at, float64, string]{
		Map: func(r reading, emit func(at, float64)) error {
			emit(mapreduce.MakePair(r.Station, r.Time), r.Degrees)
			return nil
		},
		GroupFields: 1,
		ReduceTask: func(*mapreduce.Task) (mapreduce.Reducer[at, float64, string], error) {
			return mapreduce.Reducer[at, float64, string]{Pairs: func(pairs iter.Seq2[at, float64], emit func(string)) error {
				for when, degrees := range pairs {
					emit(fmt.Sprintf("%s at %d: %g", when.First, when.Second, degrees))
				}
				return nil
			}}, nil
		},
	}
	show(job.Over(readings))
	// Output:
	// desert at 1: 40
	// pole at 1: -30
	// pole at 2: -31.5
}
