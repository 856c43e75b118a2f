// Join prints the orders of each user, from two CSV files, or writes them to a folder: join USERS
// ORDERS [OUT].
package main

import (
	"context"
	"log"
	"os"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/actors/worker"
	mr "github.com/tarry-mr/tarry/mapreduce"
)

type user struct {
	ID   int64
	Name string
}

type order struct {
	User int64
	Item string
}

func main() {
	worker.Main() // TARRY_ON=processes:2 runs each task in a process of its own
	users, orders := rows[user](os.Args[1]), rows[order](os.Args[2])
	join := mr.Join(
		mr.Keyed(users, func(u user) int64 { return u.ID }),
		mr.Keyed(orders, func(o order) int64 { return o.User }),
		func(_ int64, u user, o order, emit func(mr.Pair[string, string])) error {
			emit(mr.MakePair(u.Name, o.Item))
			return nil
		})
	join.Reducers = 1 // one part: in the order of IDs
	to := mr.Writer("-", os.Stdout)
	if len(os.Args) > 3 {
		to = mr.Dir(os.Args[3])
	}
	plan, err := join.Bind(mr.Text[mr.Pair[string, string]](to))
	if err == nil {
		_, err = actors.Run(context.Background(), actors.Config{}, plan)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// rows returns the rows of a CSV file as an input of structs; the header names the columns.
func rows[T any](name string) mr.Input[T] {
	file, err := mr.File(name)
	if err != nil {
		log.Fatal(err)
	}
	return mr.CSVRows[T](mr.CSVOptions{Header: true}, file)
}
