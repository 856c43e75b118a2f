// Userjobs runs jobs as a user of the library would write them, for `make bench`:
//
//	userjobs words IN OUT        README's program
//	userjobs strings IN OUT      the same with strings as lines and keys
//	userjobs structs IN OUT      the same with structs as keys and values
//	userjobs wordcount IN OUT    words found byte by byte in each line
//	userjobs grep IN OUT         each line looked at by itself
//	userjobs hashjoin ORDERS USERS OUT, mergejoin ORDERS USERS OUT   tables joined
//	userjobs distinct SALES OUT, top SALES OUT, p95 SALES OUT        aggregates of a table
//
// userjobs live SECONDS IN figures of a running cluster, a JSON object a line: small jobs for so
// long
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"time"

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
	"userjobs hashjoin|mergejoin ORDERS USERS OUT, or userjobs live SECONDS IN")

func run(ctx context.Context, args []string) error {
	if len(args) == 4 {
		switch args[0] {
		case bench.HashJoin:
			return runJoin(ctx, args[1], args[2], args[3], hashJoin)
		case bench.SortMergeJoin:
			return runJoin(ctx, args[1], args[2], args[3], mergeJoin)
		}
	}
	if len(args) != 3 {
		return errUsage
	}
	switch args[0] {
	case bench.DistinctItems:
		return runOnce(ctx, args[1], args[2], distinctItems)
	case bench.TopAmounts:
		return runOnce(ctx, args[1], args[2], topAmounts)
	case bench.HighAmounts:
		return runOnce(ctx, args[1], args[2], highAmounts)
	case "words":
		return runOnce(ctx, args[1], args[2], words)
	case "strings":
		return runOnce(ctx, args[1], args[2], stringWords)
	case "structs":
		return runOnce(ctx, args[1], args[2], structWords)
	case "wordcount":
		return runOnce(ctx, args[1], args[2], wordCount)
	case "grep":
		return runOnce(ctx, args[1], args[2], grep)
	case "live":
		seconds, err := strconv.Atoi(args[1])
		if err != nil {
			return errUsage
		}
		return live(ctx, time.Duration(seconds)*time.Second, args[2])
	default:
		return errUsage
	}
}

// runOnce runs a job from a file to a directory on a cluster of its own with default settings.
func runOnce(
	ctx context.Context, in, out string,
	bind func(mapreduce.Source, mapreduce.Destination) (*mapreduce.Plan, error),
) (err error) {
	cluster, err := actors.Start(actors.Config{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, cluster.Close()) }()
	source, err := mapreduce.File(in)
	if err != nil {
		return err
	}
	plan, err := bind(source, mapreduce.Dir(out))
	if err != nil {
		return err
	}
	return finish(ctx, cluster, plan)
}

// runJoin is runOnce of a job over two files.
func runJoin(
	ctx context.Context, orders, users, out string,
	bind func(orders, users mapreduce.Source, out mapreduce.Destination) (*mapreduce.Plan, error),
) error {
	source, err := mapreduce.File(users)
	if err != nil {
		return err
	}
	return runOnce(ctx, orders, out, func(in mapreduce.Source, out mapreduce.Destination) (*mapreduce.Plan, error) {
		return bind(in, source, out)
	})
}

// finish submits a plan and waits for its end.
func finish(ctx context.Context, cluster *actors.Cluster, plan *mapreduce.Plan) error {
	job, err := cluster.Submit(ctx, plan, actors.SubmitOptions{})
	if err != nil {
		return err
	}
	_, err = job.Wait(ctx)
	return err
}
