package main

import (
	"bytes"

	"github.com/tarry-mr/tarry/internal/bench"
	"github.com/tarry-mr/tarry/mapreduce"
)

// sale is a row of the sales.
type sale struct {
	Group        []byte
	Item, Amount int32
}

// sales parses each row.
func sales(in mapreduce.Source) mapreduce.Input[sale] {
	return mapreduce.Decoded(mapreduce.Lines(in), func(line []byte) (sale, error) {
		group, rest, _ := bytes.Cut(line, tab)
		item, amount, _ := bytes.Cut(rest, tab)
		return sale{group, number(item), number(amount)}, nil
	})
}

var tab = []byte{'\t'}

// number reads digits.
func number(text []byte) (n int32) {
	for _, c := range text {
		n = n*10 + int32(c-'0')
	}
	return n
}

// The rows that come out.
type (
	bought struct {
		User, City, Amount []byte
	}
	ofGroup = mapreduce.Pair[[]byte, int32]
)

type pair = mapreduce.Pair[[]byte, []byte]

// byUser returns the rows of a table of two columns, with the first, the user, as key.
func byUser(in mapreduce.Source) mapreduce.Feed[[]byte, []byte] {
	return mapreduce.From(mapreduce.KeyValueLines('\t', in), func(_ *mapreduce.Task, p pair, emit func([]byte, []byte)) error {
		emit(p.First, p.Second)
		return nil
	})
}

// hashJoin holds the users in memory.
func hashJoin(orders, users mapreduce.Source, out mapreduce.Destination) (*mapreduce.Plan, error) {
	return mapreduce.BroadcastJoin(mapreduce.KeyValueLines('\t', orders), func(o pair) []byte { return o.First }, byUser(users),
		func(o pair, cities [][]byte, emit func(bought)) error {
			for _, city := range cities {
				emit(bought{o.First, city, o.Second})
			}
			return nil
		}).Bind(mapreduce.Text[bought](out))
}

// mergeJoin returns the plan of a join of orders and users by a shuffle.
func mergeJoin(orders, users mapreduce.Source, out mapreduce.Destination) (*mapreduce.Plan, error) {
	return mapreduce.Join(byUser(users), byUser(orders), func(user, city, amount []byte, emit func(bought)) error {
		emit(bought{user, city, amount})
		return nil
	}).Bind(mapreduce.Text[bought](out))
}

// distinctItems counts the items of each group.
func distinctItems(in mapreduce.Source, out mapreduce.Destination) (*mapreduce.Plan, error) {
	return mapreduce.CountDistinct(func(s sale) []byte { return s.Group }, func(s sale) int32 { return s.Item }).
		Bind(sales(in), mapreduce.Text[mapreduce.Pair[[]byte, int64]](out))
}

// topAmounts finds the largest amounts of each group.
func topAmounts(in mapreduce.Source, out mapreduce.Destination) (*mapreduce.Plan, error) {
	amounts := mapreduce.Decoded(sales(in), func(s sale) (ofGroup, error) { return ofGroup{First: s.Group, Second: s.Amount}, nil })
	return mapreduce.TopPerKey(bench.TopOf, func(p ofGroup) []byte { return p.First },
		func(a, b ofGroup) int { return int(a.Second) - int(b.Second) }).Bind(amounts, mapreduce.Text[ofGroup](out))
}

// highAmounts finds the amount of each group that 95 in 100 do not exceed.
func highAmounts(in mapreduce.Source, out mapreduce.Destination) (*mapreduce.Plan, error) {
	return mapreduce.QuantilePerKey(0.95, func(s sale) []byte { return s.Group }, func(s sale) int32 { return s.Amount }).
		Bind(sales(in), mapreduce.Text[ofGroup](out))
}
