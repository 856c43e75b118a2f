// Command live serves a cluster of 1,000 nodes on which 10,000 maps run at once, each asleep, for
// internal/tools/measure-live.sh: `live DIR` prints its address, and runs jobs "nap" on files below DIR.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"os/signal"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/actors/serve"
	"github.com/tarry-mr/tarry/jobs"
	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/scheduling"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: live DIR")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, dir string) error {
	policy, err := scheduling.Preset("hfs")
	if err != nil {
		return err
	}
	policy.Locality = scheduling.LocalityPolicy{} // all input is one block: nobody waits for it
	nap := func(src []mapreduce.Source, to mapreduce.Destination) (*mapreduce.Plan, error) {
		return jobs.Sleep(0).Bind(mapreduce.NLines(1, src...), mapreduce.Text[mapreduce.Pair[string, float64]](to))
	}
	return serve.Run(ctx, serve.Config{
		Cluster: actors.Config{Nodes: 1000, Racks: 50, MapSlots: 10, ReduceSlots: 1, Policy: policy},
		Jobs:    []serve.Job{serve.Simple("nap", "Sleep as long as each line says", nap)},
		Listen:  "127.0.0.1:0", Roots: []string{dir}, Profiling: true,
	}, func(_ *serve.Server, url string) { fmt.Println(url) })
}
