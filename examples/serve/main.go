// Serve runs a server with a cluster until it is interrupted: serve ADDRESS DIR. Clients may submit
// the job that is written here by its name: tarry submit longest IN... -o OUT.
package main

import (
	"context"
	"fmt"
	"iter"
	"log"
	"os"
	"os/signal"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/actors/serve"
	mr "github.com/tarry-mr/tarry/mapreduce"
)

type word = mr.Pair[string, string]

// longest returns the plan of a job that finds the longest word for each initial letter.
func longest(src []mr.Source, to mr.Destination) (*mr.Plan, error) {
	longer := func(a, b string) string {
		if len(b) > len(a) || len(b) == len(a) && b < a {
			return b
		}
		return a
	}
	job := mr.Job[[]byte, string, string, word]{
		Name: "longest",
		Map: func(line []byte, emit func(string, string)) error {
			for w := range mr.Fields(line) {
				emit(string(w[:1]), string(w))
			}
			return nil
		},
		Combine: longer,
		Reduce: func(letter string, words iter.Seq[string], emit func(word)) error {
			best := ""
			for w := range words {
				best = longer(best, w)
			}
			emit(mr.MakePair(letter, best))
			return nil
		},
	}
	return job.Bind(mr.Lines(src...), mr.Text[word](to))
}

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: serve ADDRESS DIR")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := serve.Run(ctx, serve.Config{
		Cluster: actors.Config{Nodes: 4, Racks: 2},
		Listen:  os.Args[1],
		Roots:   []string{os.Args[2]},
		Jobs:    []serve.Job{serve.Simple("longest", "Find the longest word of each letter", longest)},
	}, func(_ *serve.Server, url string) { fmt.Println(url) })
	if err != nil {
		log.Fatal(err)
	}
}
