// Userjobs runs jobs as a user of the library would write them, for `make bench`:
//
//	userjobs words IN OUT        README's program
//	userjobs strings IN OUT      the same with strings as lines and keys
//	userjobs structs IN OUT      the same with structs as keys and values
//	userjobs wordcount IN OUT    words found byte by byte in each line
//	userjobs grep IN OUT         each line looked at by itself
//	userjobs hashjoin ORDERS USERS OUT, mergejoin ORDERS USERS OUT   tables joined
//	userjobs distinct SALES OUT, top SALES OUT, p95 SALES OUT        aggregates of a table
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/internal/bench"
	"github.com/tarry-mr/tarry/mapreduce"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "userjobs:", err)
		os.Exit(1)
	}
}

var errUsage = errors.New("usage: userjobs words|strings|structs|wordcount|grep|distinct|top|p95 IN OUT, " +
	"or userjobs hashjoin|mergejoin ORDERS USERS OUT")

// jobs are the jobs over one file, joins those over two.
var (
	jobs = map[string]func(in mapreduce.Source, out mapreduce.Destination) (*mapreduce.Plan, error){
		"words": words, "strings": stringWords, "structs": structWords, "wordcount": wordCount, "grep": grep,
		bench.DistinctItems: distinctItems, bench.TopAmounts: topAmounts, bench.HighAmounts: highAmounts,
	}
	joins = map[string]func(orders, users mapreduce.Source, out mapreduce.Destination) (*mapreduce.Plan, error){
		bench.HashJoin: hashJoin, bench.SortMergeJoin: mergeJoin,
	}
)

// run runs the named job from files to a directory on a cluster of its own with default settings.
func run(ctx context.Context, args []string) error {
	if !(len(args) == 3 && jobs[args[0]] != nil || len(args) == 4 && joins[args[0]] != nil) {
		return errUsage
	}
	var in []mapreduce.Source
	for _, path := range args[1 : len(args)-1] {
		source, err := mapreduce.File(path)
		if err != nil {
			return err
		}
		in = append(in, source)
	}
	out := mapreduce.Dir(args[len(args)-1])
	bind := func() (*mapreduce.Plan, error) { return jobs[args[0]](in[0], out) }
	if len(in) == 2 {
		bind = func() (*mapreduce.Plan, error) { return joins[args[0]](in[0], in[1], out) }
	}
	plan, err := bind()
	if err != nil {
		return err
	}
	_, err = actors.Run(ctx, actors.Config{}, plan)
	return err
}
